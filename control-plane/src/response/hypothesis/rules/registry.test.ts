import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { someHypothesisInput } from "../../../../test-support/incidents.ts";
import { hypothesisRules } from "./registry.ts";

it("each rule has a file of its own name, and each file its rule", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => !/^(registry|define-rule)\./.test(file));
  const rules = hypothesisRules.types.map((type) => `${type.replaceAll("_", "-")}.ts`);
  expect(files.filter((file) => !file.endsWith(".test.ts")).sort()).toEqual(rules.sort());
});

it("no rule fails for want of members", () => {
  for (const rule of hypothesisRules.members)
    expect(() => rule.look(someHypothesisInput({ members: [] }))).not.toThrow();
});
