import { expect, it } from "vitest";
import { positionProblem, type ServerPosition } from "./server-position.ts";

const primary: ServerPosition = {
  systemId: "7",
  databaseId: "16384",
  isStandby: false,
  timeline: 2,
  position: 100,
};
const standby: ServerPosition = { ...primary, isStandby: true, timeline: null };

it.each([
  ["a standby", standby, "any", undefined],
  ["the primary itself", primary, "any", undefined],
  ["the primary itself, where a standby is wanted", primary, "standby", "is no standby"],
  ["a primary of the past", { ...primary, timeline: 1 }, "any", "is a primary of the past (timeline 1)"],
  [
    "another cluster",
    { ...standby, systemId: "8" },
    "any",
    /^is another database cluster \(system identifier 8/,
  ],
  ["another database", { ...standby, databaseId: "5" }, undefined, /^is another database of the primary's/],
] as const)("%s is judged by its identity", (_name, server, target, problem) => {
  const found = positionProblem(server, primary, target);
  if (problem instanceof RegExp) expect(found).toMatch(problem);
  else expect(found).toBe(problem);
});
