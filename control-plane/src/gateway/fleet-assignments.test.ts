import { describe, expect, test } from "vitest";
import { aBatch, aCheck, recentSlots, type TestCheck } from "../../test-support/fleet.ts";
import { idle, until, useReplicaPair } from "../../test-support/replica-pair.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";

const fleets = useReplicaPair();
const { anAgent, holds, someChecks } = fleets;

describe("assignment across replicas", () => {
  test("each check has one owner, wherever the runners are connected", async () => {
    const checks = await someChecks(20);
    const a = await anAgent(0);
    const b = await anAgent(1);
    await until(() => {
      for (const check of checks) expect([holds(a, check), holds(b, check)].filter(Boolean)).toHaveLength(1);
    });
    expect(a.assignments().size).toBeGreaterThan(0);
    expect(b.assignments().size).toBeGreaterThan(0);
  });

  test("a runner that leaves hands its checks over at once", async () => {
    const checks = await someChecks(10);
    const a = await anAgent(0);
    const b = await anAgent(1);
    await until(() => expect(a.assignments().size + b.assignments().size).toBe(10));
    await a.leave();
    await until(() => {
      for (const check of checks) expect(holds(b, check)).toBe(true);
    });
  });

  test("a check moves to the new owner before the old one lets go", async () => {
    const checks = await someChecks(20);
    const a = await anAgent(0);
    expect(a.assignments().size).toBe(20);
    const b = await anAgent(1);
    const moved = checks.filter((check) => holds(b, check));
    expect(moved.length).toBeGreaterThan(0);
    await until(() => expect(a.assignments().size).toBe(20 - moved.length));
  });

  test("a draining runner gives up its checks, and gets them back when there is no other runner", async () => {
    const [check] = await someChecks(1);
    const a = await anAgent(0);
    const b = await anAgent(1);
    const [owner, other] = holds(a, check as TestCheck) ? [a, b] : [b, a];
    owner.heartbeat({ draining: true });
    await until(() => expect(holds(other, check as TestCheck)).toBe(true));
    await until(() => expect(holds(owner, check as TestCheck)).toBe(false));
  });

  test("a runner that accepts no more keeps what it has and gets nothing new", async () => {
    const before = await someChecks(10);
    const a = await anAgent(0);
    const b = await anAgent(1);
    await until(() => expect(a.assignments().size + b.assignments().size).toBe(10));
    const held = before.filter((check) => holds(a, check));
    a.heartbeat({ accepting: false });
    await until(async () => {
      const [row] = await fleets.database.knex("runners").where({ runnerUuid: a.runnerUuid });
      expect(row.accepting).toBe(false);
    });
    const after = await someChecks(10);
    await until(() => {
      for (const check of after) expect(holds(b, check)).toBe(true);
    });
    for (const check of held) expect(holds(a, check)).toBe(true);
    for (const check of after) expect(holds(a, check)).toBe(false);
  });

  test("a check of a type that a runner can't run goes to one that can", async () => {
    const check = await aCheck(fleets.database.knex, fleets.team, { type: "browser" });
    const a = await anAgent(0);
    await idle();
    expect(holds(a, check)).toBe(false);
    const b = await anAgent(1, { capabilities: ["http", "browser"] });
    expect(holds(b, check)).toBe(true);
  });

  test("the checks of a deleted team are withdrawn at once, while their records still lie there", async () => {
    const checks = await someChecks(3);
    const a = await anAgent(0);
    await until(() => expect(a.assignments().size).toBe(3));
    await fleets.database.knex.transaction(async (trx) => {
      await trx("teamDeletions").insert({ teamId: fleets.team.id });
      await wakeFleets(trx, "checks");
    });
    await until(() => expect(a.assignments().size).toBe(0));
    expect(
      await fleets.database.knex("checks").whereIn(
        "key",
        checks.map(({ key }) => key),
      ),
    ).toHaveLength(3);
  });

  test("a disabled or deleted check is withdrawn at once", async () => {
    const [off, gone] = (await someChecks(2)) as [TestCheck, TestCheck];
    const a = await anAgent(0);
    await fleets.database.knex.transaction(async (trx) => {
      await trx.raw(
        "UPDATE checks SET enabled = false, revision = nextval('check_revisions_seq'), changed_xid = pg_current_xact_id() WHERE key = ?",
        [off.key],
      );
      await trx("checkDeletions").insert({ checkKey: gone.key });
      await trx("checks").where({ key: gone.key }).delete();
      await wakeFleets(trx, "checks");
    });
    await until(() => expect(a.assignments().size).toBe(0));
  });

  test("a change that commits late is not skipped", async () => {
    const a = await anAgent(0);
    const slow = await fleets.database.knex.transaction();
    const early = await aCheck(slow as never, fleets.team);
    const [other] = await someChecks(1);
    await until(() => expect(holds(a, other as TestCheck)).toBe(true));
    await idle();
    await slow.commit();
    await until(() => expect(holds(a, early)).toBe(true));
  });

  test("a new owner learns which slots within the grace have a result", async () => {
    const check = await aCheck(fleets.database.knex, fleets.team, { frequencySeconds: 10 });
    const a = await anAgent(0);
    const [earlier = 0, newest = 0] = recentSlots(check, 2);
    const rows = [newest].map((slotMs) => ({
      checkKey: check.key,
      locationKey: fleets.team.locationKey,
      slotMs,
    }));
    a.send({ case: "resultBatch", value: aBatch(1, rows) });
    await a.next("ack");
    await a.leave();
    const b = await anAgent(1);
    const done = b.assignments().get(`${check.key}:${fleets.team.locationKey}`)?.doneSlotsMs.map(Number);
    expect(done).toContain(newest);
    expect(done).not.toContain(earlier);
  });
});
