import { readFileSync } from "node:fs";
import { assertionTypes, checkTypesBy, readinessProbeTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { assertionJudges } from "./assertions/registry.ts";
import { readinessProbes } from "./readiness/registry.ts";
import { capabilitiesWith, checkProbes } from "./registry.ts";
import type { Probe } from "./run/probe.ts";

const httpChecks = readFileSync(new URL("../../docs/http-checks.md", import.meta.url), "utf8");

it.each([
  ["check type", checkProbes, checkTypesBy("probed")],
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

it("a check type is announced by a runner that has its host, and where it works when it is tried out", async () => {
  const probes: readonly Probe[] = checkProbes.members;
  const needsHost = probes.filter((probe) => probe.needsHost).map(({ type }) => type);
  const missing: { type: string; reason: string }[] = [];
  for (const { type, tryOut } of probes) {
    const reason = await tryOut?.();
    if (reason !== undefined) missing.push({ type, reason });
  }
  const works = (type: string) => !missing.some((one) => one.type === type);
  expect(await capabilitiesWith({})).toEqual({
    types: checkProbes.types.filter((type) => works(type) && !(needsHost as string[]).includes(type)),
    missing,
  });
  const hosts = Object.fromEntries(needsHost.map((type) => [type, { run: () => Promise.reject() }]));
  expect((await capabilitiesWith(hosts)).types).toEqual(checkProbes.types.filter(works));
});
