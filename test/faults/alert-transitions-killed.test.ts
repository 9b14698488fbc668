import type { Check } from "@svc/contract";
import { expect, test } from "vitest";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const CHECKS = 60;
const KILLS = 3;
/** Transactions that began within this time may have been judged in any order. Much less than the checks' interval. */
const STORED_AT_ONCE_MS = 2_000;

const stack = setUpTestStack();

test("a control plane killed again and again while outages begin and end loses no alert and opens none twice", async () => {
  const database = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: database.url });
  const knex = openPool(database.url, { poolMax: 2 });
  stack.atEnd(() => knex.destroy());
  const receiver = await startReceiver<AlertBody>();
  stack.atEnd(() => receiver.close());
  const { locationId, runnerKey } = await createLocation(controlPlane, "watched");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: CHECKS, locationId, url: stack.target.url });
  await addRules(controlPlane, checks, receiver.url);
  await untilAllHaveResults(controlPlane, checks);

  for (let kill = 1; kill <= KILLS; kill++) {
    stack.target.answerWith(kill % 2 === 1 ? 503 : 200);
    const before = await countEvents();
    // In the middle: some of it is committed, the rest is under way or not even run.
    await until("transitions are written", async () => (await countEvents()) >= before + 5, {
      withinMs: 40_000,
      everyMs: 5,
    });
    await controlPlane.process.kill9();
    await controlPlane.restart();
  }
  // The last change was to failing; then all is well once more.
  await until("each check has an open alert", async () => (await countOpen()) === CHECKS, {
    withinMs: 60_000,
  });
  stack.target.answerWith(200);
  await until("no alert is open", async () => (await countOpen()) === 0, { withinMs: 60_000 });

  for (const check of checks) expect(await meaningsOf(check)).toContain(await transitionsOf(check));
  const instances: string[] = await knex("alertInstances").pluck("id");
  await until(
    "each beginning and each end was notified",
    () => instances.every((id) => kindsNotified(receiver, id).size === 2),
    {
      withinMs: 90_000,
    },
  );

  async function countEvents(): Promise<number> {
    return (await knex("alertEvents").whereIn("type", ["triggered", "recovered"]).pluck("id")).length;
  }

  async function countOpen(): Promise<number> {
    return (await knex("alertInstances").whereIn("state", ["active", "acknowledged"]).pluck("id")).length;
  }

  async function transitionsOf(check: Check): Promise<string> {
    const rows = await knex("alertEvents")
      .join("checks", "checks.key", "alertEvents.checkKey")
      .where("checks.id", check.id)
      .whereIn("alertEvents.type", ["triggered", "recovered"])
      .orderBy("alertEvents.id")
      .select("alertEvents.type");
    return rows.map(({ type }) => `${type} `).join("");
  }

  /**
   * Returns what the stored results may mean, one by one: each list of transitions as text. A result that is stored
   * after the next one is late and pages nobody, which happens when a target changes between two runs on a loaded
   * machine; of two that are stored at once, as after a kill, either may have been judged first.
   */
  async function meaningsOf(check: Check): Promise<string[]> {
    const rows: { status: number; createdAt: string }[] = await knex("results")
      .join("checks", "checks.key", "results.checkKey")
      .where("checks.id", check.id)
      .orderBy("results.slotMs")
      .select("results.status", "results.createdAt");
    const results = rows.map(({ status, createdAt }) => ({ status, storedMs: Date.parse(createdAt) }));
    let meanings = new Set([""]);
    for (const [i, { status, storedMs }] of results.entries()) {
      const aheadMs = results.slice(i + 1).map((newer) => newer.storedMs - storedMs);
      if (aheadMs.some((ms) => ms < -STORED_AT_ONCE_MS)) continue;
      const judged = [...meanings].map((meaning) => after(meaning, status));
      const mayBeLate = aheadMs.some((ms) => ms <= STORED_AT_ONCE_MS);
      meanings = new Set(mayBeLate ? [...meanings, ...judged] : judged);
    }
    return [...meanings];
  }

  function after(meaning: string, status: number): string {
    const isOpen = meaning.endsWith("triggered ");
    if (status !== 1 && !isOpen) return `${meaning}triggered `;
    return status === 1 && isOpen ? `${meaning}recovered ` : meaning;
  }
});

async function addRules(controlPlane: ControlPlane, checks: readonly Check[], url: string): Promise<void> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    {
      name: "receiver",
      channel: { type: "webhook", url },
    },
  );
  // Each alert by itself, not by way of its incident.
  await controlPlane.ok("PUT", `/api/notification-channels/${channel.id}`, { incidentSubscribed: false });
  for (const { id } of checks)
    await controlPlane.ok("POST", `/api/checks/${id}/alerts`, {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channel.id],
    });
}

interface AlertBody {
  eventType: string;
  alert: { id: string };
}

/** Which kinds of notification came about an alert. */
function kindsNotified({ bodies }: Receiver<AlertBody>, instanceId: string): ReadonlySet<string> {
  return new Set(bodies.flatMap(({ alert, eventType }) => (alert.id === instanceId ? eventType : [])));
}
