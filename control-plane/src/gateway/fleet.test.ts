import { randomUUID } from "node:crypto";
import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  FaultReason,
  GiveBackSchema,
  HelloSchema,
  RunReason,
  SessionRequestSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import {
  type AgentOptions,
  aBatch,
  aCheck,
  aRunnerKey,
  aTeam,
  connectAgent,
  recentSlots,
  startTestFleet,
  TEST_SECRETS,
  type TestAgent,
  type TestCheck,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../test-support/fleet.ts";
import { verifyDispatchToken } from "../accounts/identity/dispatch-token.ts";
import { openPool } from "../platform/db/pool.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";

let database: TestDatabase;
let second: ReturnType<typeof openPool>;
/** Two replicas on one database. */
let replicas: [TestFleet, TestFleet];
let team: TestTeam;
let agents: TestAgent[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  second = openPool(database.url, { poolMax: 5 });
  replicas = [await startTestFleet(testServices(database.knex)), await startTestFleet(testServices(second))];
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
  agents = [];
});

/** An agent of the team at a replica, once it has its snapshot. */
async function anAgent(
  replica: 0 | 1,
  options: AgentOptions = {},
  secret = team.runnerSecret,
): Promise<TestAgent> {
  const agent = connectAgent(replicas[replica].url, secret, options);
  agents.push(agent);
  await agent.next("snapshot", (snapshot) => snapshot.last);
  return agent;
}

const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 15_000, interval: 20 });
const holds = (agent: TestAgent, check: TestCheck) =>
  agent.assignments().has(`${check.key}:${team.locationKey}`);
const idle = () => new Promise((resolve) => setTimeout(resolve, 600));

async function someChecks(count: number): Promise<TestCheck[]> {
  return Promise.all(Array.from({ length: count }, () => aCheck(database.knex, team)));
}

async function trigger(check: TestCheck): Promise<number> {
  const slotMs = Date.now();
  await database.knex.transaction(async (trx) => {
    await trx("manualRuns").insert({
      checkKey: check.key,
      slotMs,
      locationKeys: [team.locationKey],
      reason: "triggered",
    });
    await wakeFleets(trx, "manual_runs");
  });
  return slotMs;
}

function giveBack(agent: TestAgent, check: TestCheck, slotMs: number, reason: FaultReason): void {
  const slots = [
    { checkKey: BigInt(check.key), locationKey: team.locationKey, slotMs: BigInt(slotMs), reason },
  ];
  agent.send({ case: "giveBack", value: create(GiveBackSchema, { slots }) });
}

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
      const [row] = await database.knex("runners").where({ runnerUuid: a.runnerUuid });
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
    const check = await aCheck(database.knex, team, { type: "browser" });
    const a = await anAgent(0);
    await idle();
    expect(holds(a, check)).toBe(false);
    const b = await anAgent(1, { capabilities: ["http", "browser"] });
    expect(holds(b, check)).toBe(true);
  });

  test("a disabled or deleted check is withdrawn at once", async () => {
    const [off, gone] = (await someChecks(2)) as [TestCheck, TestCheck];
    const a = await anAgent(0);
    await database.knex.transaction(async (trx) => {
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
    const slow = await database.knex.transaction();
    const early = await aCheck(slow as never, team);
    const [other] = await someChecks(1);
    await until(() => expect(holds(a, other as TestCheck)).toBe(true));
    await idle();
    await slow.commit();
    await until(() => expect(holds(a, early)).toBe(true));
  });

  test("a new owner learns which slots within the grace have a result", async () => {
    const check = await aCheck(database.knex, team, { frequencySeconds: 10 });
    const a = await anAgent(0);
    const [earlier = 0, newest = 0] = recentSlots(check, 2);
    const rows = [newest].map((slotMs) => ({ checkKey: check.key, locationKey: team.locationKey, slotMs }));
    a.send({ case: "resultBatch", value: aBatch(1, rows) });
    await a.next("ack");
    await a.leave();
    const b = await anAgent(1);
    const done = b.assignments().get(`${check.key}:${team.locationKey}`)?.doneSlotsMs.map(Number);
    expect(done).toContain(newest);
    expect(done).not.toContain(earlier);
  });
});

describe("a session's end", () => {
  test("a runner that leaves without a goodbye loses its lease soon, but not at once", async () => {
    const a = await anAgent(0);
    a.kill();
    await until(async () => {
      const { rows } = await database.knex.raw(
        "SELECT extract(epoch FROM lease_until - clock_timestamp()) AS left FROM runners WHERE runner_uuid = ?",
        [a.runnerUuid],
      );
      expect(Number(rows[0].left)).toBeLessThan(5.1);
    });
  });

  test("the newest session of a runner wins, on whichever replica", async () => {
    const runnerUuid = randomUUID();
    const older = await anAgent(0, { runnerUuid });
    const newer = await anAgent(1, { runnerUuid });
    const error = ConnectError.from(await older.ended);
    expect(error.code).toBe(Code.Aborted);
    expect(error.rawMessage).toMatch(/took over/);
    newer.heartbeat();
    await newer.next("heartbeatReply");
  });

  test("revoking a key ends its streams", async () => {
    const a = await anAgent(0);
    await database.knex.transaction(async (trx) => {
      await trx("runnerKeys").where({ id: team.runnerKeyId }).delete();
      await wakeFleets(trx, "runner_keys");
    });
    expect(ConnectError.from(await a.ended)).toMatchObject({ code: Code.Unauthenticated });
  });

  test("a presence lasts from the first heartbeat to the last", async () => {
    const a = await anAgent(0);
    a.heartbeat();
    await idle();
    const [presence] = await database.knex("runnerPresence").where({ locationKey: team.locationKey });
    expect(presence.untilMs).toBeGreaterThan(presence.fromMs);
    a.kill();
    await a.ended;
    await anAgent(1, { runnerUuid: a.runnerUuid, processUuid: a.processUuid });
    expect(await database.knex("runnerPresence").where({ locationKey: team.locationKey })).toHaveLength(1);
  });
});

describe("an outage of the database", () => {
  test("leaves streams open and moves nothing, though every lease ran out meanwhile", async () => {
    const services = [testServices(database.knex), testServices(second)] as const;
    const timing = { handoverMs: 100, pollIntervalMs: 100, recoveryHoldMs: 5_000 };
    const pair = [
      await startTestFleet(services[0], timing),
      await startTestFleet(services[1], timing),
    ] as const;
    const admin = await createTestDatabase({ poolMax: 1 });
    try {
      await someChecks(20);
      const both = pair.map((replica) => connectAgent(replica.url, team.runnerSecret));
      agents.push(...both);
      await Promise.all(both.map((agent) => agent.next("snapshot", (snapshot) => snapshot.last)));
      const held = () => both.map((agent) => [...agent.assignments().keys()].sort());
      await until(() => expect(held().flat()).toHaveLength(20));
      const before = held();

      const name = new URL(database.url).pathname.slice(1);
      await database.knex.raw("UPDATE runners SET lease_until = clock_timestamp() + interval '200 ms'");
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.knex.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?", [
        name,
      ]);
      await idle();
      for (const agent of both) agent.heartbeat();
      await Promise.all(both.map((agent) => agent.next("heartbeatReply")));
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);

      await until(async () => {
        const rows = await database.knex("runners").whereIn(
          "runnerUuid",
          both.map((agent) => agent.runnerUuid),
        );
        for (const row of rows) expect(Date.parse(row.leaseUntil)).toBeGreaterThan(Date.now() + 5_000);
      });
      const late = await aCheck(database.knex, team);
      await until(() => expect(both.some((agent) => holds(agent, late))).toBe(true));
      const unmoved = held().map((pairs) => pairs.filter((id) => id !== `${late.key}:${team.locationKey}`));
      expect(unmoved).toEqual(before);
    } finally {
      await admin.drop();
      for (const replica of pair) await replica.close();
    }
  });
});

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
      locationKey: team.locationKey,
      reason: RunReason.TRIGGERED,
    });
    expect(run.check?.checkId).toBe(check.id);
    const grant = verifyDispatchToken(TEST_SECRETS, run.dispatchToken, Date.now());
    expect(grant).toEqual({ checkKey: check.key, locationKey: team.locationKey, slotMs });
    await idle();
    expect(
      [owner, other].map((agent) => agent.received.filter(({ message }) => message.case === "runNow").length),
    ).toEqual([1, 0]);
  });

  test("a disabled check can be triggered", async () => {
    const check = await aCheck(database.knex, team, { enabled: false });
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
      value: aBatch(1, [{ checkKey: check.key, locationKey: team.locationKey, slotMs }]),
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
    giveBack(
      owner,
      check,
      Date.now() - slotMs < 25_000 ? slotMs : await trigger(check),
      FaultReason.CAPACITY,
    );
    expect(await other.next("runNow")).toMatchObject({ reason: RunReason.GIVEN_BACK });
  });

  test("a slot that no runner can run is missed, with the reason of the runner that gave it back", async () => {
    const [check] = (await someChecks(1)) as [TestCheck];
    const a = await anAgent(0);
    const [slotMs = 0] = recentSlots(check, 5);
    giveBack(a, check, slotMs, FaultReason.OUT_OF_MEMORY);
    await until(async () => {
      expect(await database.knex("missedSlots").where({ checkKey: check.key })).toMatchObject([
        { slotMs, locationKey: team.locationKey, reason: "runner_oom" },
      ]);
    });
    expect(await database.knex("givenBackSlots").where({ checkKey: check.key })).toEqual([]);
  });
});

describe("a slot given back that was never the runner's to run", () => {
  const AUTH = { type: "bearer", token: "another team's secret" };
  const strangersCheck = async () =>
    aCheck(database.knex, await aTeam(database.knex), { auth: AUTH, frequencySeconds: 10 });

  /** Both runners of the location have nothing to run, and nothing is noted of the check. */
  async function expectNothingSent(check: TestCheck, pair: readonly TestAgent[]) {
    await idle();
    for (const agent of pair)
      expect(agent.received.filter(({ message }) => message.case === "runNow")).toEqual([]);
    expect(await database.knex("givenBackSlots").where({ checkKey: check.key })).toEqual([]);
    expect(await database.knex("missedSlots").where({ checkKey: check.key })).toEqual([]);
  }

  test("a check of another team is not dispatched to this team's runners", async () => {
    const check = await strangersCheck();
    const pair = [await anAgent(0), await anAgent(1)];
    for (const slotMs of [recentSlots(check, 1)[0] as number, Date.now()])
      giveBack(pair[0] as TestAgent, check, slotMs, FaultReason.CAPACITY);
    await expectNothingSent(check, pair);
  });

  test("a check of the own team is not dispatched to a location where it does not run", async () => {
    const elsewhere = await aTeam(database.knex);
    const check = await aCheck(
      database.knex,
      { ...elsewhere, id: team.id },
      { auth: AUTH, frequencySeconds: 10 },
    );
    const pair = [await anAgent(0), await anAgent(1)];
    giveBack(pair[0] as TestAgent, check, recentSlots(check, 1)[0] as number, FaultReason.CAPACITY);
    await expectNothingSent(check, pair);
  });

  test("an instant that is neither a slot nor a dispatch is not dispatched", async () => {
    const check = await aCheck(database.knex, team, { frequencySeconds: 10 });
    const pair = [await anAgent(0), await anAgent(1)];
    giveBack(pair[0] as TestAgent, check, (recentSlots(check, 1)[0] as number) + 1, FaultReason.CAPACITY);
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

describe("misuse by an agent", () => {
  const refused = async (secret: string, options: AgentOptions = {}) =>
    ConnectError.from(await connectAgent(replicas[0].url, secret, options).ended);

  test.each([
    ["an unknown runner key", () => `rk_${"0".repeat(64)}`, Code.Unauthenticated, /unknown runner key/],
    ["an API key", () => `sk_${"0".repeat(64)}`, Code.Unauthenticated, /API key/],
    ["nonsense", () => "rk_1", Code.Unauthenticated, /not a runner key/],
  ])("%s is refused with what is wrong", async (_name, secret, code, text) => {
    const error = await refused(secret());
    expect(error.code).toBe(code);
    expect(error.rawMessage).toMatch(text);
  });

  test("an agent of another protocol version is told both versions", async () => {
    const error = await refused(team.runnerSecret, { protocolVersion: 7 });
    expect(error.code).toBe(Code.FailedPrecondition);
    expect(error.rawMessage).toMatch(/version 7.*version 1/);
  });

  test("a hosted agent that asks for a location that is not hosted is told which", async () => {
    const { runnerSecret } = await aRunnerKey(database.knex, null);
    const error = await refused(runnerSecret, { locationIds: [team.locationId] });
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.rawMessage).toContain(team.locationId);
  });

  test("a second Hello ends its stream and no other", async () => {
    const a = await anAgent(0);
    const bad = await anAgent(0);
    bad.send({ case: "hello", value: create(HelloSchema, { protocolVersion: 1 }) });
    expect(ConnectError.from(await bad.ended).code).toBe(Code.InvalidArgument);
    a.heartbeat();
    await a.next("heartbeatReply");
  });

  test.each([
    ["before Hello", false],
    ["after Hello", true],
  ])("a stream that sends garbage %s ends with INVALID_ARGUMENT, and no other", async (_name, withHello) => {
    const a = await anAgent(0);
    const hello = toBinary(
      SessionRequestSchema,
      create(SessionRequestSchema, {
        message: {
          case: "hello",
          value: create(HelloSchema, {
            protocolVersion: 1,
            runnerUuid: randomUUID(),
            processUuid: randomUUID(),
          }),
        },
      }),
    );
    const garbage = new Uint8Array(64).fill(0xff);
    expect(await grpcStatusAfter(replicas[0].url, withHello ? [hello, garbage] : [garbage])).toBe(
      Code.InvalidArgument,
    );
    a.heartbeat();
    await a.next("heartbeatReply");
  });
});

/** Sends these message bodies over plain HTTP/2. @returns the grpc-status that the stream ends with */
async function grpcStatusAfter(url: string, bodies: readonly Uint8Array[]): Promise<number> {
  const connection = http2.connect(url);
  const stream = connection.request({
    ":method": "POST",
    ":path": "/svc.runner.v1.RunnerService/Session",
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${team.runnerSecret}`,
  });
  for (const body of bodies) {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(body.length, 1);
    stream.write(Buffer.concat([prefix, body]));
  }
  stream.resume();
  const status = new Promise<number>((resolve) => {
    const read = (headers: http2.IncomingHttpHeaders) => {
      if (headers["grpc-status"] !== undefined) resolve(Number(headers["grpc-status"]));
    };
    stream.on("trailers", read);
    stream.on("response", read);
  });
  try {
    return await status;
  } finally {
    connection.destroy();
  }
}
