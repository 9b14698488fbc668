/** A confirmation over the real protocol: from one runner's failure to another runner's dispatch, and to the alert. */
import { newId } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import {
  aBatch,
  aCheck,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../../test-support/fleet.ts";
import { connectAgent, type TestAgent } from "../../../test-support/test-agent.ts";

let database: TestDatabase;
let fleet: TestFleet;
let team: TestTeam;
const agents: TestAgent[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  fleet = await startTestFleet(testServices(database.knex));
  team = await aTeam(database.knex);
});
afterAll(async () => {
  for (const agent of agents) agent.kill();
  await Promise.all(agents.map((agent) => agent.ended));
  await fleet?.close();
  await database?.drop();
});

async function anAgent(): Promise<TestAgent> {
  const agent = connectAgent(fleet.url, team.runnerSecret);
  agents.push(agent);
  await agent.next("snapshot", (snapshot) => snapshot.last);
  return agent;
}

async function aFailingCheck() {
  const check = await aCheck(database.knex, team, { frequencySeconds: 3_600 });
  await database.knex("alertRules").insert({
    id: newId("alertRule"),
    teamId: team.id,
    checkKey: check.key,
    enabled: true,
    confirm: true,
    conditions: JSON.stringify([{ type: "consecutive_failures", count: 1 }]),
    channelIds: [],
  });
  await fleet.fleet.refresh();
  return check;
}

const fail = (agent: TestAgent, seq: number, row: Parameters<typeof aBatch>[1][number]) =>
  agent.send({ case: "resultBatch", value: aBatch(seq, [row], { statuses: [2] }) });

it("the only runner of the only location is asked itself; once it has company, the other one is", {
  timeout: 60_000,
}, async () => {
  const first = await anAgent();
  const location = { locationKey: team.locationKey };
  const alone = await aFailingCheck();
  const [slotMs = 0] = recentSlots(alone, 1);
  fail(first, 1, { ...location, checkKey: alone.key, slotMs });
  const again = await first.next("runNow", (dispatch) => Number(dispatch.check?.checkKey) === alone.key);
  expect(Number(again.slotMs)).toBeGreaterThan(slotMs);

  const second = await anAgent();
  const watched = await aFailingCheck();
  const [slot = 0] = recentSlots(watched, 1);
  fail(first, 2, { ...location, checkKey: watched.key, slotMs: slot });
  const dispatch = await second.next("runNow", (run) => Number(run.check?.checkKey) === watched.key);
  fail(second, 1, { ...location, checkKey: watched.key, slotMs: Number(dispatch.slotMs) });
  await second.next("ack", (ack) => ack.seq === 1n);
  const instances = await database.knex("alertInstances").where({ checkKey: watched.key });
  const [runner] = await database.knex("runners").where({ runnerUuid: second.runnerUuid });
  expect(instances).toMatchObject([{ state: "active", context: { confirmedBy: { runnerId: runner.id } } }]);
});
