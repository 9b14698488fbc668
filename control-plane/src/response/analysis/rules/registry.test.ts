import { readdirSync } from "node:fs";
import { insightTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { analysisRules } from "./registry.ts";

it("each rule has a file of its own name, and each file its rule", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !/^(registry|define-rule|words)|\.test\.ts$/.test(file),
  );
  expect(files.sort()).toEqual(analysisRules.types.map((type) => `${type.replaceAll("_", "-")}.ts`).sort());
});

it("each type of insight has a rule, but the two that say that nothing was found", () => {
  expect([...analysisRules.types, "healthy", "no_data"].sort()).toEqual([...insightTypes.types].sort());
});
