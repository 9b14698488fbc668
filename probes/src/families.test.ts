import { readFileSync } from "node:fs";
import { assertionTypes, checkTypes, readinessProbes } from "@svc/contract";
import { expect, it } from "vitest";
import { ASSERTION_JUDGES } from "./assertions/registry.ts";
import { READINESS_PROBES } from "./readiness/registry.ts";
import { capabilitiesWith, PROBES } from "./registry.ts";

const httpChecks = readFileSync(new URL("../../docs/http-checks.md", import.meta.url), "utf8");

it.each([
  ["check type", PROBES, checkTypes.types],
  ["assertion", ASSERTION_JUDGES, assertionTypes.types],
  ["readiness probe", READINESS_PROBES, readinessProbes.types],
])("every %s of the contract is carried out here, and no other", (_, family, names) => {
  expect([...family.types].sort()).toEqual([...names].sort());
});

it.each([...assertionTypes.types, ...readinessProbes.types])("docs/http-checks.md explains %s", (name) => {
  expect(httpChecks).toContain(`\`${name}\``);
});

it("a check type that needs a host is announced only by a runner that has it", () => {
  const needsHost = PROBES.members.filter((probe) => probe.needsHost).map(({ type }) => type);
  expect(capabilitiesWith({})).toEqual(
    PROBES.types.filter((type) => !(needsHost as string[]).includes(type)),
  );
  const hosts = Object.fromEntries(needsHost.map((type) => [type, { run: () => Promise.reject() }]));
  expect(capabilitiesWith(hosts)).toEqual(PROBES.types);
});
