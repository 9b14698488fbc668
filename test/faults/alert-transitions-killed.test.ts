import type { Check } from "@svc/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openKnex } from "../../control-plane/src/db/engine.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { type Stage, setStage } from "../harness/stage.ts";
import { until } from "../harness/wait.ts";

const CHECKS = 60;
const KILLS = 3;

let stage: Stage;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  stage = await setStage();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await stage.strike();
}, 60_000);

test("a control plane killed again and again while outages begin and end loses no alert and opens none twice", async () => {
  const database = await stage.database();
  const controlPlane = await stage.controlPlane({ databaseUrl: database.url });
  const knex = openKnex(database.url, 2);
  closers.push(() => knex.destroy());
  const told = await startReceiver<AlertBody>();
  closers.push(() => told.close());
  const { locationId, runnerKey } = await createLocation(controlPlane, "watched");
  stage.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, CHECKS, locationId, stage.target.url);
  await addRules(controlPlane, checks, told.url);
  await untilAllHaveResults(controlPlane, checks);

  for (let kill = 1; kill <= KILLS; kill++) {
    stage.target.answerWith(kill % 2 === 1 ? 503 : 200);
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
  stage.target.answerWith(200);
  await until("no alert is open", async () => (await countOpen()) === 0, { withinMs: 60_000 });

  for (const check of checks) expect(await transitionsOf(check)).toEqual(await modelOf(check));
  const instances: string[] = await knex("alertInstances").pluck("id");
  await until(
    "each beginning and each end was told",
    () => instances.every((id) => kindsTold(told, id).size === 2),
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

  async function transitionsOf(check: Check): Promise<string[]> {
    const rows = await knex("alertEvents")
      .join("checks", "checks.key", "alertEvents.checkKey")
      .where("checks.id", check.id)
      .whereIn("alertEvents.type", ["triggered", "recovered"])
      .orderBy("alertEvents.id")
      .select("alertEvents.type");
    return rows.map(({ type }) => type);
  }

  /**
   * What the stored results mean, gone through one by one. A run that ended after the next one had been stored is late and
   * pages nobody: when a target changes between two runs on a loaded machine, that happens.
   */
  async function modelOf(check: Check): Promise<string[]> {
    const results: { status: number; slotMs: number; createdAt: string }[] = await knex("results")
      .join("checks", "checks.key", "results.checkKey")
      .where("checks.id", check.id)
      .orderBy("results.slotMs")
      .select("results.status", "results.slotMs", "results.createdAt");
    const happened: string[] = [];
    for (const [i, { status, createdAt }] of results.entries()) {
      if (results.slice(i + 1).some((newer) => newer.createdAt < createdAt)) continue;
      const isOpen = happened.at(-1) === "triggered";
      if (status !== 1 && !isOpen) happened.push("triggered");
      if (status === 1 && isOpen) happened.push("recovered");
    }
    return happened;
  }
}, 240_000);

async function addRules(controlPlane: ControlPlane, checks: readonly Check[], url: string): Promise<void> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    {
      name: "told",
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
function kindsTold({ bodies }: Receiver<AlertBody>, instanceId: string): ReadonlySet<string> {
  return new Set(bodies.flatMap(({ alert, eventType }) => (alert.id === instanceId ? eventType : [])));
}
