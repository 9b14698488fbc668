import { expect, it } from "vitest";
import { statusPageFields } from "./compared-fields.ts";
import { fingerprint } from "./fingerprint.ts";
import { createSecrets } from "./secrets.ts";

it("a status page has the fingerprint that earlier deploys of it left", () => {
  const page = {
    slug: "shop",
    title: "Shop",
    description: "",
    isPublished: true,
    subscriptions: { email: false },
    components: [{ name: "Website", monitor: "Home" }],
  };
  const hashOf = (isPublished: boolean) =>
    fingerprint("status_page", statusPageFields({ ...page, isPublished }), createSecrets());
  expect(hashOf(true)).toBe("3296d9235e78d5e0952c2cab73eb30fc08da7edeecadcddefb4ae06a9c3ca389");
  expect(hashOf(false)).not.toBe(hashOf(true));
});
