import { setTimeout as delay } from "node:timers/promises";
import type { Check, Result } from "@svc/contract";
import { expect, test } from "vitest";
import { type ControlPlane, newApiKey } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

test("two replicas and three agents share the slots; a replica's end loses none and doubles none", async () => {
  const { url } = await stack.database({ template: false });
  const apiKey = newApiKey();
  const [first, second] = await Promise.all([
    stack.controlPlane({ databaseUrl: url, apiKey }),
    stack.controlPlane({ databaseUrl: url, apiKey }),
  ]);
  const { locationId, runnerKey } = await createLocation(first, "shared");
  const through = await stack.proxy(first.runnerPort);
  stack.runner({ key: runnerKey, port: through.port });
  stack.runner({ key: runnerKey, port: second.runnerPort });
  stack.runner({ key: runnerKey, port: second.runnerPort });
  const checks = await createChecks(first, { count: 90, locationId, url: stack.target.url });
  await untilAllHaveResults(second, checks);
  await until("each agent holds a share", async () => {
    const { runners } = await second.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.length === 3 && runners.every((runner) => runner.assignedChecks >= 10);
  });

  const fromMs = Date.now();
  await delay(3_000);
  await first.process.kill9();
  await delay(20_000);

  const { expected, ...audit } = await auditOnceComplete(second, checks, { fromMs, toMs: Date.now() });
  expect(expected).toBeGreaterThan(0);
  expect(audit).toEqual({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
}, 300_000);

test("a change and a trigger on one replica reach an agent on the other within a second", async () => {
  const { url } = await stack.database({ template: false });
  const apiKey = newApiKey();
  const [first, second] = await Promise.all([
    stack.controlPlane({ databaseUrl: url, apiKey }),
    stack.controlPlane({ databaseUrl: url, apiKey }),
  ]);
  const { locationId, runnerKey } = await createLocation(first, "over there");
  stack.runner({ key: runnerKey, port: second.runnerPort });
  const [check] = await createChecks(first, { count: 1, locationId, url: stack.target.url });
  if (!check) throw new Error("no check was made");
  await untilAllHaveResults(first, [check]);

  expect(await secondsUntilTriggered(first, check)).toBeLessThan(1);

  await first.ok("PUT", `/api/checks/${check.id}`, {
    configJson: { ...check.configJson, url: `${stack.target.url}/changed` },
  });
  const changedAtMs = Date.now();
  await delay(1_000);
  await first.ok("POST", `/api/checks/${check.id}/trigger`);
  await until("the changed address is asked", () => stack.target.hits.has("/changed"));
  const hitsOfOld = stack.target.hits.get("/0");
  await delay(Math.max(0, changedAtMs + 12_000 - Date.now()));
  expect(stack.target.hits.get("/0")).toBe(hitsOfOld);
});

/** From the answer to a trigger to the start of the run it asked for, in seconds. */
async function secondsUntilTriggered(controlPlane: ControlPlane, check: Check): Promise<number> {
  const before = Date.now();
  const answer = await controlPlane.ok("POST", `/api/checks/${check.id}/trigger`);
  expect(answer).toMatchObject({ triggered: true, locations: 1 });
  const result = await until("the triggered run has a result", async () => {
    const { results } = await controlPlane.ok<{ results: Result[] }>(
      "GET",
      `/api/checks/${check.id}/results`,
    );
    return results.find(({ slotAt }) => Date.parse(slotAt) >= before && Date.parse(slotAt) <= Date.now());
  });
  return (Date.parse(result.startedAt) - before) / 1000;
}
