import { createRequire } from "node:module";
import type * as Playwright from "playwright";
import { expect, it } from "vitest";
import { DEVICE_NAMES } from "../../contract/src/checks/devices.ts";

it("browser checks know exactly the devices of the installed Playwright", () => {
  const probes = createRequire(new URL("../../probes/package.json", import.meta.url));
  const { devices } = probes("playwright") as typeof Playwright;
  expect([...DEVICE_NAMES].toSorted()).toEqual(Object.keys(devices).toSorted());
});
