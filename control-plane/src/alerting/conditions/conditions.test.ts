import { readdirSync, readFileSync } from "node:fs";
import { conditionSchema, conditionTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aLocation, aNewResult, anInput, BURN, NOW_MS } from "../../../test-support/conditions.ts";
import { shownResults } from "./condition.ts";
import { conditionRules, ruleOf } from "./registry.ts";

/** Files of this folder that hold no member of the family. */
const NOT_MEMBERS = new Set([
  "condition.ts",
  "conditions.test.ts",
  "location-names.ts",
  "registry.ts",
  "seen-certificates.ts",
]);

it("the conditions are those of the contract, each in a file of its own", () => {
  expect([...conditionRules.types].sort()).toEqual([...conditionTypes.types].sort());
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !file.endsWith(".test.ts") && !NOT_MEMBERS.has(file),
  );
  expect(files.map((file) => file.replace(".ts", "").replaceAll("-", "_")).sort()).toEqual(
    [...conditionTypes.types].sort(),
  );
});

it("each condition is judged by a row of a table", () => {
  const tables = readdirSync(import.meta.dirname).filter((file) => file.startsWith("conditions-of-"));
  const text = tables.map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8")).join("");
  const types = conditionTypes.types.filter((type) => type !== BURN.type);
  expect(types.filter((type) => !text.includes(`type: "${type}"`))).toEqual([]);
});

it("a match names the results, for people and for machines", () => {
  const condition = conditionSchema.parse({ type: "consecutive_failures" });
  const match = ruleOf(condition).match(condition, anInput([aLocation("FFFS")]));
  expect(match).toMatchObject({ threshold: 2, observed: 3, summary: "2 failures in a row from place 1" });
  expect(match && shownResults(match).map(({ slotMs }) => slotMs)).toEqual([NOW_MS, NOW_MS - 60_000]);
});

describe("a success costs nothing where it can't matter", () => {
  const success = aNewResult({});
  it.each([
    [{ type: "consecutive_failures" }, false],
    [{ type: "multi_location_failure" }, false],
    [{ type: "failure_ratio", failures: 1, total: 2 }, false],
    [{ type: "response_time_threshold", maxMs: 10 }, false],
    [{ type: "response_time_threshold", maxMs: 9 }, true],
    [{ type: "mcp_schema_drift" }, false],
    [{ type: "missed_runs" }, false],
    [BURN, false],
    [{ type: "ssl_certificate_changed" }, false],
  ])("%j", (given, may) => {
    const condition = conditionSchema.parse(given);
    expect(ruleOf(condition).canBegin(condition, success)).toBe(may);
  });
});
