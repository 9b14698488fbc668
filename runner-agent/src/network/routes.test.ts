import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { bundleForChild } from "../../test-support/bundle.ts";
import { hasRoute } from "./routes.ts";

it("answers by what the system's table says", async () => {
  const listed = (family: string) =>
    spawnSync("ip", [family, "route", "get", family === "-6" ? "2001:db8::1" : "192.0.2.1"], {
      encoding: "utf8",
    });
  const [v4, v6] = [listed("-4"), listed("-6")];
  if (v4.error) return;
  expect([await hasRoute(4), await hasRoute(6)]).toEqual([v4.status === 0, v6.status === 0]);
});

it("finds none in a network namespace that has only loopback", async ({ skip }) => {
  const script = await bundleForChild(
    "routes",
    'import { hasRoute } from "./network/routes.ts"; Promise.all([hasRoute(4), hasRoute(6)]).then((found) => console.log(JSON.stringify(found)));',
  );
  try {
    const alone = spawnSync("unshare", ["--net", "--map-root-user", process.execPath, script.path], {
      encoding: "utf8",
    });
    if (alone.status !== 0) skip("this machine lets nobody make a network namespace");
    expect(JSON.parse(alone.stdout)).toEqual([false, false]);
  } finally {
    script.remove();
  }
});
