/** Runner keys that are replaced while checks with secrets run: no slot is lost, and the secrets still open. */
import { setTimeout as delay } from "node:timers/promises";
import type { Check, Coverage, Result } from "@svc/contract";
import { expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import {
  auditOnceComplete,
  auditSlots,
  createChecks,
  createLocation,
  untilAllHaveResults,
} from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

const SECRET = "value-of-the-secret";
const CHECKS = 50;

test("an agent that starts again with the location's second key keeps its spool and its secrets", async () => {
  const { controlPlane, locationId, runnerKey, checks } = await startChecks();
  const proxy = await stack.proxy(controlPlane.runnerPort);
  const dataDir = stack.folder();
  const first = stack.runner({ key: runnerKey, port: proxy.port, dataDir });
  await untilAllHaveResults(controlPlane, checks);
  const secondKey = await createSecondKey(controlPlane, locationId);

  const fromMs = Date.now();
  proxy.setMode("refuse");
  const hitsBefore = totalHits();
  await until("runs ended whose results can't be sent", () => totalHits() >= hitsBefore + CHECKS / 2);
  const period = { fromMs, toMs: Date.now() };
  await first.kill9();
  const { missing: spooled } = await auditSlots(controlPlane, checks, period);
  expect(spooled.length).toBeGreaterThan(0);
  proxy.setMode("up");
  const second = stack.runner({ key: secondKey, port: proxy.port, dataDir });
  await until("the agent is let in with the second key", () => second.output().includes("taken over"));
  await revokeFirstKey(controlPlane, locationId);
  await delay(12_000);

  await expectNoSlotLost(controlPlane, checks, { fromMs, toMs: Date.now() });
  // The spooled results are those of the runs before the kill: the second process ran only what was under way.
  const startsBefore = await countStartsBefore(controlPlane, spooled, period.toMs);
  expect(startsBefore).toBeGreaterThan(spooled.length / 2);
  const refused = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  await until("the revoked key is refused", () => /revoked|unknown|invalid/i.test(refused.output()));
});

test("while two agents share a location, the key of one is revoked: the other runs all slots", async () => {
  const { controlPlane, locationId, runnerKey, checks } = await startChecks();
  const former = { key: runnerKey, port: controlPlane.runnerPort, dataDir: stack.folder() };
  const first = stack.runner(former);
  await untilAllHaveResults(controlPlane, checks);
  const secondKey = await createSecondKey(controlPlane, locationId);
  stack.runner({ key: secondKey, port: controlPlane.runnerPort });
  await until("both agents hold checks", async () => {
    const { runners } = await controlPlane.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.length === 2 && runners.every((runner) => runner.assignedChecks > 5);
  });

  const fromMs = Date.now();
  await delay(2_000);
  await revokeFirstKey(controlPlane, locationId);
  await until("the other agent holds all checks", async () => {
    const { runners } = await controlPlane.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.some((runner) => runner.assignedChecks === CHECKS);
  });
  await first.stop();
  stack.runner({ ...former, key: secondKey });
  await delay(12_000);
  await expectNoSlotLost(controlPlane, checks, { fromMs, toMs: Date.now() });
});

/** Starts a control plane with a location and checks of it whose URLs hold a secret. */
async function startChecks() {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "rotated");
  await controlPlane.ok("POST", "/api/secrets", { name: "TOKEN", value: SECRET });
  const url = `${stack.target.url}/{{vault.TOKEN}}`;
  const checks = await createChecks(controlPlane, { count: CHECKS, locationId, url });
  return { controlPlane, locationId, runnerKey, checks };
}

async function createSecondKey(controlPlane: ControlPlane, locationId: string): Promise<string> {
  const { key } = await controlPlane.ok<{ key: { secret: string } }>(
    "POST",
    `/api/locations/${locationId}/keys`,
    {},
  );
  return key.secret;
}

async function revokeFirstKey(controlPlane: ControlPlane, locationId: string): Promise<void> {
  const path = `/api/locations/${locationId}/keys`;
  const { keys } = await controlPlane.ok<{ keys: { id: string; createdAt: string }[] }>("GET", path);
  const [first] = keys.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  await controlPlane.ok("DELETE", `${path}/${first?.id}`);
}

/** Requires one successful result for each slot, coverage without a missing one, and the secret in every request. */
async function expectNoSlotLost(
  controlPlane: ControlPlane,
  checks: readonly Check[],
  period: { fromMs: number; toMs: number },
): Promise<void> {
  const audit = await auditOnceComplete(controlPlane, checks, period);
  expect(audit.expected).toBeGreaterThanOrEqual(CHECKS);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  for (const { id } of checks) {
    const { locations } = await controlPlane.ok<Coverage>("GET", `/api/checks/${id}/coverage?range=1h`);
    expect([id, locations.flatMap(({ missing }) => missing)]).toEqual([id, []]);
  }
  expect([...stack.target.hits.keys()].filter((path) => !path.startsWith(`/${SECRET}/`))).toEqual([]);
}

/** Returns the number of the slots whose stored result began before an instant. */
async function countStartsBefore(
  controlPlane: ControlPlane,
  slots: readonly { checkId: string; slotMs: number }[],
  beforeMs: number,
): Promise<number> {
  let count = 0;
  for (const { checkId, slotMs } of slots) {
    const path = `/api/checks/${checkId}/results?limit=50`;
    const { results } = await controlPlane.ok<{ results: Result[] }>("GET", path);
    const ofSlot = results.find(({ slotAt }) => Date.parse(slotAt) === slotMs);
    if (ofSlot && Date.parse(ofSlot.startedAt) < beforeMs) count++;
  }
  return count;
}

function totalHits(): number {
  return [...stack.target.hits.values()].reduce((sum, count) => sum + count, 0);
}
