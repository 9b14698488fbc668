import { create } from "@bufbuild/protobuf";
import { FaultReason, GiveBackSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import {
  aCheck,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../test-support/fleet.ts";
import { connectAgent, type TestAgent } from "../../test-support/test-agent.ts";

let database: TestDatabase;
let replica: TestFleet;
let team: TestTeam;
beforeAll(async () => {
  database = await createTestDatabase();
  replica = await startTestFleet(testServices(database.knex));
  team = await aTeam(database.knex);
});
afterAll(async () => {
  await replica?.close();
  await database?.drop();
});

async function anAgent(): Promise<TestAgent> {
  const agent = connectAgent(replica.url, team.runnerSecret, {});
  await agent.next("snapshot", (snapshot) => snapshot.last);
  return agent;
}

test("a slot whose check's run before it was open is missed at once, and no other runner gets it", async () => {
  const check = await aCheck(database.knex, team);
  const [a, b] = [await anAgent(), await anAgent()];
  const [slotMs = 0] = recentSlots(check, 1);
  const slot = { checkKey: BigInt(check.key), locationKey: team.locationKey, slotMs: BigInt(slotMs) };
  const slots = [{ ...slot, reason: FaultReason.PREVIOUS_RUN }];
  a.send({ case: "giveBack", value: create(GiveBackSchema, { slots }) });
  await vi.waitFor(
    async () =>
      expect(await database.knex("missedSlots").where({ checkKey: check.key })).toMatchObject([
        { slotMs, locationKey: team.locationKey, reason: "previous_run" },
      ]),
    { timeout: 60_000, interval: 20 },
  );
  expect(await database.knex("givenBackSlots").where({ checkKey: check.key })).toEqual([]);
  expect(b.received.filter(({ message }) => message.case === "runNow")).toEqual([]);
  for (const agent of [a, b]) {
    agent.kill();
    await agent.ended;
  }
});

test("slots given back are acknowledged once they are recorded, also those that nobody may record", async () => {
  const check = await aCheck(database.knex, team);
  const agent = connectAgent(replica.url, team.runnerSecret, {});
  expect((await agent.next("welcome")).acksGiveBacks).toBe(true);
  await agent.next("snapshot", (snapshot) => snapshot.last);
  const [slotMs = 0] = recentSlots(check, 1);
  const slot = { checkKey: BigInt(check.key), locationKey: team.locationKey, slotMs: BigInt(slotMs) };
  const reason = FaultReason.NETWORK;
  const give = (
    seq: bigint,
    slots: { checkKey: bigint; locationKey: number; slotMs: bigint; reason: FaultReason }[],
  ) => agent.send({ case: "giveBack", value: create(GiveBackSchema, { seq, slots }) });
  give(0n, [{ ...slot, reason }]);
  give(7n, [{ ...slot, reason }]);
  await agent.next("giveBackAck", ({ seq }) => seq === 7n);
  expect(await database.knex("givenBackSlots").where({ checkKey: check.key })).toMatchObject([{ slotMs }]);
  give(8n, [{ ...slot, locationKey: team.locationKey + 1, reason }]);
  await agent.next("giveBackAck", ({ seq }) => seq === 8n);
  give(9n, [{ ...slot, checkKey: 999_999_999n, reason }]);
  await agent.next("giveBackAck", ({ seq }) => seq === 9n);
  const seqs = agent.received.flatMap(({ message }) =>
    message.case === "giveBackAck" ? [message.value.seq] : [],
  );
  expect(seqs).toEqual([7n, 8n, 9n]);
  agent.kill();
  await agent.ended;
});

test("the checks of a team carry one number, and those of another team another", async () => {
  const stranger = await aTeam(database.knex);
  const numbers: number[] = [];
  for (const { owner, count } of [
    { owner: team, count: 2 },
    { owner: stranger, count: 1 },
  ]) {
    for (let index = 0; index < count; index++) await aCheck(database.knex, owner);
    const agent = connectAgent(replica.url, owner.runnerSecret, {});
    const found = new Set<number>();
    await vi.waitFor(
      () => {
        for (const { message } of agent.received)
          if (message.case === "snapshot" || message.case === "delta")
            for (const { teamNumber } of message.value.checks) found.add(teamNumber);
        expect(found.size).toBe(1);
      },
      { timeout: 60_000, interval: 20 },
    );
    numbers.push(...found);
    agent.kill();
    await agent.ended;
  }
  expect(new Set(numbers).size).toBe(2);
});
