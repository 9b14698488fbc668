import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aRunnerKey, aTeam, startTestFleet, type TestFleet, testServices } from "../../test-support/fleet.ts";
import { connectAgent } from "../../test-support/test-agent.ts";

let database: TestDatabase;
let replicas: TestFleet[];

beforeAll(async () => {
  database = await createTestDatabase();
  const services = () => testServices(database.knex, { SVC_RUNNER_SESSIONS_PER_KEY_MAX: "3" });
  replicas = [await startTestFleet(services()), await startTestFleet(services())];
});
afterAll(async () => {
  for (const replica of replicas ?? []) await replica.close();
  await database?.drop();
});

const url = (replica: number) => replicas[replica]?.url as string;

test("a key's runners are bounded over all replicas; one that comes back is none more, and another key has its own", async () => {
  const team = await aTeam(database.knex);
  const agents = [0, 1, 0].map((replica) => connectAgent(url(replica), team.runnerSecret));
  for (const agent of agents) await agent.next("welcome");
  for (const replica of [0, 1]) {
    const error = ConnectError.from(await connectAgent(url(replica), team.runnerSecret).ended);
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(error.rawMessage).toMatch(/3 connected runners at most/);
  }
  const again = connectAgent(url(1), team.runnerSecret, { runnerUuid: agents[0]?.runnerUuid as string });
  await again.next("welcome");
  const other = await aRunnerKey(database.knex, team.locationKey);
  await connectAgent(url(0), other.runnerSecret).next("welcome");
});

test("runners that were lost are forgotten beyond a thousand of a key", async () => {
  const team = await aTeam(database.knex);
  await database.knex.raw(
    `INSERT INTO runners (id, runner_uuid, process_uuid, location_key, runner_key_id, location_keys, hostname, version,
       capabilities, capacity_per_second, replica_id, connected_at, last_heartbeat_at, lease_until)
     SELECT 'rnr_flood' || i, gen_random_uuid(), gen_random_uuid(), :locationKey, :keyId, ARRAY[:locationKey::integer], 'h', 'v',
       '{http}', 1, 'r', now(), now(), now() - i * interval '1 s' FROM generate_series(1, 1050) i`,
    { locationKey: team.locationKey, keyId: team.runnerKeyId },
  );
  const agent = connectAgent(url(0), team.runnerSecret);
  await agent.next("welcome");
  const rows = await database.knex("runners").where({ runnerKeyId: team.runnerKeyId }).count();
  expect(Number(rows[0]?.count)).toBe(1_001);
  await agent.leave();
});
