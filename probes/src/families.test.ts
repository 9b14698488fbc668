import { readFileSync } from "node:fs";
import { assertionTypes, checkTypes, readinessProbeTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { assertionJudges } from "./assertions/registry.ts";
import { readinessProbes } from "./readiness/registry.ts";
import { capabilitiesWith, checkProbes } from "./registry.ts";

const httpChecks = readFileSync(new URL("../../docs/http-checks.md", import.meta.url), "utf8");

it.each([
  ["check type", checkProbes, checkTypes.types],
  ["assertion", assertionJudges, assertionTypes.types],
  ["readiness probe", readinessProbes, readinessProbeTypes.types],
])("every %s of the contract is carried out here, and no other", (_, family, names) => {
  expect([...family.types].sort()).toEqual([...names].sort());
});

it.each([...assertionTypes.types, ...readinessProbeTypes.types])(
  "docs/http-checks.md explains %s",
  (name) => {
    expect(httpChecks).toContain(`\`${name}\``);
  },
);

it("a check type that needs a host is announced only by a runner that has it", () => {
  const needsHost = checkProbes.members.filter((probe) => probe.needsHost).map(({ type }) => type);
  expect(capabilitiesWith({})).toEqual(
    checkProbes.types.filter((type) => !(needsHost as string[]).includes(type)),
  );
  const hosts = Object.fromEntries(needsHost.map((type) => [type, { run: () => Promise.reject() }]));
  expect(capabilitiesWith(hosts)).toEqual(checkProbes.types);
});
