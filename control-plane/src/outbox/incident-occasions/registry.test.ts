import { readdirSync } from "node:fs";
import { incidentEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { incidentOccasions, occasionOf } from "./registry.ts";

it("each occasion has a file of its own name, and each file its occasion", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !/^(registry|define-occasion)\./.test(file),
  );
  const occasions = incidentOccasions.types.map((type) => `${type.replaceAll("_", "-")}.ts`);
  expect(files.sort()).toEqual(occasions.sort());
});

it("the occasions that are events are the contract's incident events, and machines get exactly these", () => {
  const events = incidentOccasions.types.filter((type) => occasionOf(type).standsFor === undefined);
  expect(events.sort()).toEqual([...incidentEventTypes.types].sort());
  const forMachines = incidentOccasions.types.filter((type) =>
    occasionOf(type).audiences.includes("machine"),
  );
  expect(forMachines.sort()).toEqual(events);
});

it("no occasion is without an audience", () => {
  for (const type of incidentOccasions.types) expect(occasionOf(type).audiences).not.toEqual([]);
});
