/** Two replicas of the fleet on one database, with a team and agents that end with their test. */
import { create } from "@bufbuild/protobuf";
import { type FaultReason, GiveBackSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { wakeFleets } from "../src/platform/db/wake-ups.ts";
import { createTestDatabase, openSecondPool, type TestDatabase } from "./database.ts";
import {
  aCheck,
  aTeam,
  startTestFleet,
  type TestCheck,
  type TestFleet,
  type TestTeam,
  testServices,
} from "./fleet.ts";
import { type AgentOptions, connectAgent, type TestAgent } from "./test-agent.ts";

/** Both replicas and what a test does with them. Its properties can be read while a test runs. */
export interface ReplicaPair {
  readonly database: TestDatabase;
  /** The second replica's pool on the database. */
  readonly second: Knex;
  readonly replicas: readonly [TestFleet, TestFleet];
  /** A team of the running test alone. */
  readonly team: TestTeam;
  /** Agents that are killed when the test ends. */
  readonly agents: TestAgent[];
  /** Connects an agent of the team to a replica. Resolves once the agent has its snapshot. */
  anAgent(replica: 0 | 1, options?: AgentOptions): Promise<TestAgent>;
  /** True when the check is assigned to the agent at the team's location. */
  holds(agent: TestAgent, check: TestCheck): boolean;
  /** Stores checks of the team. */
  someChecks(count: number): Promise<TestCheck[]>;
  /** Stores a dispatch of the check at the team's location. Returns its slot, in Unix ms. */
  trigger(check: TestCheck): Promise<number>;
  /** Sends a GiveBack of one slot at the team's location. */
  giveBack(agent: TestAgent, given: { check: TestCheck; slotMs: number; reason: FaultReason }): void;
}

/** Starts both replicas before the file's tests and closes them afterwards. */
export function useReplicaPair(): ReplicaPair {
  let database: TestDatabase;
  let second: Knex;
  let replicas: [TestFleet, TestFleet];
  let team: TestTeam;
  const agents: TestAgent[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    second = await openSecondPool(database, 5);
    replicas = [
      await startTestFleet(testServices(database.knex)),
      await startTestFleet(testServices(second)),
    ];
  });
  afterAll(async () => {
    for (const replica of replicas ?? []) await replica.close();
    await second?.destroy();
    await database?.drop();
  });
  beforeEach(async () => {
    team = await aTeam(database.knex);
  });
  afterEach(async () => {
    for (const agent of agents) agent.kill();
    await Promise.all(agents.map((agent) => agent.ended));
    agents.length = 0;
  });
  return {
    get database() {
      return database;
    },
    get second() {
      return second;
    },
    get replicas() {
      return replicas;
    },
    get team() {
      return team;
    },
    agents,
    anAgent: async (replica, options = {}) => {
      const agent = connectAgent(replicas[replica].url, team.runnerSecret, options);
      agents.push(agent);
      await agent.next("snapshot", (snapshot) => snapshot.last);
      return agent;
    },
    holds: (agent, check) => agent.assignments().has(`${check.key}:${team.locationKey}`),
    someChecks: (count) => Promise.all(Array.from({ length: count }, () => aCheck(database.knex, team))),
    trigger: (check) => dispatchNow(database.knex, check, team.locationKey),
    giveBack: (agent, { check, slotMs, reason }) => {
      const { locationKey } = team;
      const slots = [{ checkKey: BigInt(check.key), locationKey, slotMs: BigInt(slotMs), reason }];
      agent.send({ case: "giveBack", value: create(GiveBackSchema, { slots }) });
    },
  };
}

/** Waits until the assertion holds, for at most 15 s. */
export const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 25_000, interval: 20 });

/** Waits long enough for a replica to do what a test expects it not to do. */
export const idle = () => new Promise((resolve) => setTimeout(resolve, 600));

async function dispatchNow(knex: Knex, check: TestCheck, locationKey: number): Promise<number> {
  const slotMs = Date.now();
  await knex.transaction(async (trx) => {
    await trx("manualRuns").insert({
      checkKey: check.key,
      slotMs,
      locationKeys: [locationKey],
      reason: "triggered",
    });
    await wakeFleets(trx, "manual_runs");
  });
  return slotMs;
}
