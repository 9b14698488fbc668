import { FaultReason, RunReason } from "@svc/proto/svc/runner/v1/runner_pb";
import { describe, expect, test } from "vitest";
import {
  aBatch,
  aCheck,
  aTeam,
  recentSlots,
  TEST_SECRETS,
  type TestCheck,
} from "../../test-support/fleet.ts";
import { idle, until, useReplicaPair } from "../../test-support/replica-pair.ts";
import type { TestAgent } from "../../test-support/test-agent.ts";
import { verifyDispatchToken } from "../accounts/identity/dispatch-token.ts";

const fleets = useReplicaPair();
const { anAgent, giveBack, holds, someChecks, trigger } = fleets;

describe("dispatches", () => {
  test("a trigger reaches the location's runner within a second, once, on whichever replica", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const a = await anAgent(0);
    const b = await anAgent(1);
    await until(() => expect(a.assignments().size + b.assignments().size).toBe(1));
    const [owner, other] = holds(a, check) ? [a, b] : [b, a];
    const slotMs = await trigger(check);
    const run = await owner.next("runNow");
    expect(run).toMatchObject({
      slotMs: BigInt(slotMs),
      locationKey: fleets.team.locationKey,
      reason: RunReason.TRIGGERED,
    });
    expect(run.check?.checkId).toBe(check.id);
    const grant = verifyDispatchToken(TEST_SECRETS, run.dispatchToken, Date.now());
    expect(grant).toEqual({ checkKey: check.key, locationKey: fleets.team.locationKey, slotMs });
    await idle();
    expect(
      [owner, other].map((agent) => agent.received.filter(({ message }) => message.case === "runNow").length),
    ).toEqual([1, 0]);
  });

  test("a disabled check can be triggered", async () => {
    const check = await aCheck(fleets.database.knex, fleets.team, { enabled: false });
    const a = await anAgent(0);
    const slotMs = await trigger(check);
    expect(Number((await a.next("runNow")).slotMs)).toBe(slotMs);
  });

  test("a trigger that no runner could run is sent to a runner that comes within the grace", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const slotMs = await trigger(check);
    const a = await anAgent(1);
    expect(Number((await a.next("runNow")).slotMs)).toBe(slotMs);
  });

  test("a trigger whose slot has a result is not sent again", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const a = await anAgent(0);
    const slotMs = await trigger(check);
    await a.next("runNow");
    a.send({
      case: "resultBatch",
      value: aBatch(1, [{ checkKey: check.key, locationKey: fleets.team.locationKey, slotMs }]),
    });
    await a.next("ack");
    await a.leave();
    const b = await anAgent(1);
    await idle();
    expect(b.received.some(({ message }) => message.case === "runNow")).toBe(false);
  });

  test("a slot given back is run by the next runner, wherever it is", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const a = await anAgent(0);
    const b = await anAgent(1);
    await until(() => expect(a.assignments().size + b.assignments().size).toBe(1));
    const [owner, other] = holds(a, check) ? [a, b] : [b, a];
    const slotMs = recentSlots(check, 1)[0] as number;
    giveBack(owner, {
      check,
      slotMs: Date.now() - slotMs < 25_000 ? slotMs : await trigger(check),
      reason: FaultReason.CAPACITY,
    });
    expect(await other.next("runNow")).toMatchObject({ reason: RunReason.GIVEN_BACK });
  });

  test("a slot that no runner can run is missed, with the reason of the runner that gave it back", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const a = await anAgent(0);
    const [slotMs = 0] = recentSlots(check, 5);
    giveBack(a, { check, slotMs, reason: FaultReason.OUT_OF_MEMORY });
    await until(async () => {
      expect(await fleets.database.knex("missedSlots").where({ checkKey: check.key })).toMatchObject([
        { slotMs, locationKey: fleets.team.locationKey, reason: "runner_oom" },
      ]);
    });
    expect(await fleets.database.knex("givenBackSlots").where({ checkKey: check.key })).toEqual([]);
  });
});

describe("a slot given back that was never the runner's to run", () => {
  const AUTH = { type: "bearer", token: "another team's secret" };
  const strangersCheck = async () =>
    aCheck(fleets.database.knex, await aTeam(fleets.database.knex), { auth: AUTH, frequencySeconds: 10 });

  /** Both runners of the location have nothing to run, and nothing is noted of the check. */
  async function expectNothingSent(check: TestCheck, pair: readonly TestAgent[]) {
    await idle();
    for (const agent of pair)
      expect(agent.received.filter(({ message }) => message.case === "runNow")).toEqual([]);
    expect(await fleets.database.knex("givenBackSlots").where({ checkKey: check.key })).toEqual([]);
    expect(await fleets.database.knex("missedSlots").where({ checkKey: check.key })).toEqual([]);
  }

  test("a check of another team is not dispatched to this team's runners", async () => {
    const check = await strangersCheck();
    const pair = [await anAgent(0), await anAgent(1)];
    for (const slotMs of [recentSlots(check, 1)[0] as number, Date.now()])
      giveBack(pair[0] as TestAgent, { check, slotMs, reason: FaultReason.CAPACITY });
    await expectNothingSent(check, pair);
  });

  test("a check of the own team is not dispatched to a location where it does not run", async () => {
    const elsewhere = await aTeam(fleets.database.knex);
    const check = await aCheck(
      fleets.database.knex,
      { ...elsewhere, id: fleets.team.id },
      { auth: AUTH, frequencySeconds: 10 },
    );
    const pair = [await anAgent(0), await anAgent(1)];
    giveBack(pair[0] as TestAgent, {
      check,
      slotMs: recentSlots(check, 1)[0] as number,
      reason: FaultReason.CAPACITY,
    });
    await expectNothingSent(check, pair);
  });

  test("an instant that is neither a slot nor a dispatch is not dispatched", async () => {
    const check = await aCheck(fleets.database.knex, fleets.team, { frequencySeconds: 10 });
    const pair = [await anAgent(0), await anAgent(1)];
    giveBack(pair[0] as TestAgent, {
      check,
      slotMs: (recentSlots(check, 1)[0] as number) + 1,
      reason: FaultReason.CAPACITY,
    });
    await expectNothingSent(check, pair);
  });

  test("a dispatch that names another team's location is sent to no runner there", async () => {
    const check = await strangersCheck();
    const pair = [await anAgent(0), await anAgent(1)];
    await trigger(check);
    await idle();
    for (const agent of pair)
      expect(agent.received.filter(({ message }) => message.case === "runNow")).toEqual([]);
  });
});
