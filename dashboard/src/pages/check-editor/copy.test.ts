import { describe, expect, it } from "vitest";
import type { CheckDraft } from "./body.ts";
import { copyOf, stillMissing } from "./copy.ts";

const draft = (more: object = {}, name = "Shop"): CheckDraft => ({
  type: "http",
  name,
  frequencySeconds: 60,
  locations: ["loc_us_east"],
  httpConfig: { url: "https://shop.example/", ...more },
});

describe("a copy of a check", () => {
  it("has all that the check has, under another name", () => {
    const original = draft({
      headers: { accept: "text/html" },
      body: "a *** b",
      assertions: [{ value: "***" }],
    });
    expect(copyOf(original)).toEqual({ draft: { ...original, name: "Shop (copy)" }, missing: [] });
  });

  it("lacks each secret, and names its place", () => {
    const { draft: copy, missing } = copyOf(
      draft({
        url: "https://shop.example/?token=***",
        headers: { Authorization: "***", accept: "text/html" },
        auth: { type: "basic", username: "***", password: "***" },
      }),
    );
    expect(JSON.stringify(copy)).not.toContain("***");
    expect(copy.httpConfig).toMatchObject({
      url: "https://shop.example/?token=",
      headers: { Authorization: "", accept: "text/html" },
      auth: { type: "basic", username: "", password: "" },
    });
    expect(missing.map(({ path }) => path.slice(1))).toEqual([
      ["url"],
      ["headers", "Authorization"],
      ["auth", "username"],
      ["auth", "password"],
    ]);
  });

  it("is not to be saved while a secret is neither given nor taken away", () => {
    const copied = copyOf(draft({ headers: { "X-Key": "***", "X-Other": "***" } }));
    const given = {
      ...copied.draft,
      httpConfig: { url: "https://shop.example/", headers: { "X-Key": "new" } },
    };
    expect(stillMissing(copied.draft, copied)).toEqual([
      expect.stringMatching(/^httpConfig\.headers\.X-Key: give its secret anew/),
      expect.stringMatching(/^httpConfig\.headers\.X-Other: /),
    ]);
    expect(stillMissing(given, copied)).toEqual([]);
  });

  it.each([
    ["Shop", "Shop (copy)"],
    ["x".repeat(248), `${"x".repeat(248)} (copy)`],
    ["x".repeat(255), `${"x".repeat(248)} (copy)`],
    ["\u{1f600}".repeat(127), `${"\u{1f600}".repeat(124)} (copy)`],
  ])("of %j has a name of at most 255 characters", (name, expected) => {
    const { draft: copy } = copyOf(draft({}, name));
    expect(copy.name).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(255);
  });
});
