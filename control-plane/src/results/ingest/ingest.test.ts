import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import {
  aBatch,
  aCheck,
  aRunnerKey,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestCheck,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../../test-support/fleet.ts";
import { connectAgent, type TestAgent } from "../../../test-support/test-agent.ts";

let database: TestDatabase;
let fleet: TestFleet;
let team: TestTeam;
let check: TestCheck;
let agent: TestAgent;
let seq = 0;
/** Slots of the check that were due as the tests began, newest first; each test takes its own. */
let slots: number[];

beforeAll(async () => {
  database = await createTestDatabase();
  fleet = await startTestFleet(testServices(database.knex));
  team = await aTeam(database.knex);
  check = await aCheck(database.knex, team, { frequencySeconds: 10 });
  slots = recentSlots(check, 60).reverse();
  agent = connectAgent(fleet.url, team.runnerSecret);
  await agent.next("snapshot", (snapshot) => snapshot.last);
});
afterAll(async () => {
  await agent?.leave();
  await fleet?.close();
  await database?.drop();
});

const row = (slotMs: number) => ({ checkKey: check.key, locationKey: team.locationKey, slotMs });

async function deliver(rows: Parameters<typeof aBatch>[1], overrides: Parameters<typeof aBatch>[2] = {}) {
  const mine = ++seq;
  agent.send({ case: "resultBatch", value: aBatch(mine, rows, overrides) });
  return (await agent.next("ack", (ack) => ack.seq === BigInt(mine))).rejections;
}

async function storedSlots(): Promise<number[]> {
  const rows = await database
    .knex("results")
    .where({ checkKey: check.key })
    .orderBy("slotMs")
    .select("slotMs");
  return rows.map((result) => result.slotMs);
}

describe("ingest", () => {
  test("a result delivered twice is stored once, and the first one stays", async () => {
    const [slotMs = 0] = slots.slice(1);
    await deliver([row(slotMs), row(slotMs)]);
    await deliver([row(slotMs)], { statuses: [2] });
    const stored = await database.knex("results").where({ checkKey: check.key, slotMs });
    expect(stored).toMatchObject([{ status: 1 }]);
  });

  test("the detail stored is that of the result stored", async () => {
    const [slotMs = 0] = slots.slice(2);
    const detail = (text: string) => [{ index: 0, detailJson: JSON.stringify({ errorMessage: text }) }];
    await deliver([row(slotMs)], { statuses: [3], details: detail("first") });
    await deliver([row(slotMs)], { statuses: [2], details: detail("second") });
    const details = await database.knex("resultDetails").where({ checkKey: check.key, slotMs });
    expect(details.map((entry) => entry.detail)).toEqual([{ errorMessage: "first" }]);
  });

  test("one bad row costs neither its neighbours nor the stream", async () => {
    const [c = 0, b = 0, a = 0] = slots.slice(4);
    const rejections = await deliver([row(a), { ...row(b), locationKey: 4_000_000 }, row(c)]);
    expect(rejections.map(({ index }) => index)).toEqual([1]);
    expect(await storedSlots()).toEqual(expect.arrayContaining([a, c]));
  });

  const at = (offsetMs: number) => (slots[0] as number) + offsetMs;
  test.each([
    ["a slot off the grid", () => [row(at(1))], {}, /neither a slot/],
    ["a slot in the future", () => [row(at(120_000))], {}, /future/],
    ["a slot older than the retention", () => [row(at(-40 * 86_400_000))], {}, /older/],
    ["a check that does not exist", () => [{ ...row(at(0)), checkKey: 999_999 }], {}, /no such check/],
    ["an unknown status", () => [row(at(0))], { statuses: [0] }, /status/],
    ["an impossible status code", () => [row(at(0))], { httpStatusCodes: [70_000] }, /http_status_code/],
    ["a phase beyond the column", () => [row(at(0))], { ttfbUs: [-5] }, /phase/],
    ["an elapsed time beyond the column", () => [row(at(0))], { elapsedUs: [4_000_000_000] }, /elapsed_us/],
    ["columns that differ in length", () => [row(at(0))], { statuses: [] }, /length/],
    ["trace ids that are cut short", () => [row(at(0))], { traceIds: new Uint8Array(3) }, /length/],
  ])("%s is rejected, not stored and not sent again", async (_name, rows, overrides, reason) => {
    const rejections = await deliver(rows(), overrides);
    expect(rejections).toHaveLength(1);
    expect(rejections[0]?.reason).toMatch(reason);
  });

  test.each([
    ["is no JSON", "{", /not JSON/],
    ["does not follow the contract", '{"errorMessage": 5}', /errorMessage/],
    ["is too large", JSON.stringify({ errorMessage: "x".repeat(300_000) }), /bytes/],
    ["is nested absurdly deep", `{"assertions":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /nested/],
  ])("a detail that %s is left out and its result kept", async (_name, detailJson, reason) => {
    await database.knex("results").where({ checkKey: check.key }).delete();
    const [slotMs = 0] = slots.slice(30);
    const details = [{ index: 0, detailJson }];
    const rejections = await deliver([row(slotMs)], { details });
    expect(rejections[0]?.reason).toMatch(reason);
    expect(await storedSlots()).toEqual([slotMs]);
    expect(await database.knex("resultDetails").where({ checkKey: check.key, slotMs })).toEqual([]);
    await database.knex("results").where({ checkKey: check.key }).delete();
  });

  test("text that no database holds is replaced, not lost", async () => {
    const [slotMs = 0] = slots.slice(9);
    const detailJson = '{"errorMessage":"a\\u0000b\\ud800c"}';
    const details = [{ index: 0, detailJson }];
    expect(await deliver([row(slotMs)], { statuses: [3], details })).toEqual([]);
    const [stored] = await database.knex("resultDetails").where({ checkKey: check.key, slotMs });
    expect(stored.detail).toEqual({ errorMessage: "a\ufffdb\ufffdc" });
  });

  test("a manual run's slot is accepted however late it comes", async () => {
    const slotMs = at(-3_600_000) + 7;
    await database.knex("manualRuns").insert({
      checkKey: check.key,
      slotMs,
      locationKeys: [team.locationKey],
      reason: "triggered",
    });
    expect(await deliver([row(slotMs)])).toEqual([]);
    expect(await storedSlots()).toContain(slotMs);
  });

  test("a certificate is noted when it changes, and only then", async () => {
    const [c = 0, b = 0, a = 0] = slots.slice(11);
    const facts = (fingerprint: string) => [
      {
        index: 0,
        kind: "tls",
        factJson: JSON.stringify({
          host: "example.test",
          fingerprintSha256: fingerprint,
          issuer: "i",
          subject: "s",
          subjectAltNames: [],
          validFrom: "2026-01-01T00:00:00.000Z",
          validTo: "2027-01-01T00:00:00.000Z",
          isTrusted: true,
          isSelfSigned: false,
          protocol: "TLSv1.3",
          cipher: "x",
        }),
      },
    ];
    for (const [slotMs, fingerprint] of [
      [a, "one"],
      [b, "one"],
      [c, "two"],
    ] as const)
      expect(await deliver([row(slotMs)], { facts: facts(fingerprint) })).toEqual([]);
    const noted = await database
      .knex("tlsObservations")
      .where({ checkKey: check.key })
      .orderBy("firstSlotMs");
    expect(noted.map((entry) => [entry.firstSlotMs, entry.fingerprintSha256])).toEqual([
      [a, "one"],
      [c, "two"],
    ]);
  });

  test("a key of the hosted pool can't deliver for a private location", async () => {
    const { runnerSecret } = await aRunnerKey(database.knex, null);
    const stranger = connectAgent(fleet.url, runnerSecret);
    await stranger.next("welcome");
    const [slotMs = 0] = slots.slice(20);
    stranger.send({ case: "resultBatch", value: aBatch(1, [row(slotMs)]) });
    const { rejections } = await stranger.next("ack");
    expect(rejections[0]?.reason).toMatch(/does not cover/);
    await stranger.leave();
  });

  test("a value that the database refuses costs its own row only", async () => {
    await database.knex.raw("ALTER TABLE results ADD CONSTRAINT unlucky CHECK (elapsed_us <> 1313)");
    const rows = slots.slice(30, 50).map(row);
    const elapsedUs = rows.map((_, i) => (i === 7 ? 1313 : 1000));
    const details = rows.map((_, index) => ({
      index,
      detailJson: JSON.stringify({ errorMessage: `${index}` }),
    }));
    const rejections = await deliver(rows, { elapsedUs, details: details as never });
    expect(rejections).toMatchObject([{ index: 7, reason: expect.stringMatching(/refuses/) }]);
    const kept = rows.map(({ slotMs }) => slotMs).filter((_, i) => i !== 7);
    expect(await storedSlots()).toEqual(expect.arrayContaining(kept));
    const stored = await database
      .knex("resultDetails")
      .where({ checkKey: check.key })
      .whereIn("slotMs", kept);
    const messages = stored.map(({ slotMs, detail }) => [slotMs, detail.errorMessage]).sort();
    expect(messages).toEqual(
      rows
        .map(({ slotMs }, i) => [slotMs, `${i}`])
        .filter(([, i]) => i !== "7")
        .sort(),
    );
    await database.knex.raw("ALTER TABLE results DROP CONSTRAINT unlucky");
  });

  // Citus has no triggers on tables of its workers.
  test.skipIf(isOnCitus)("what takes longer than a statement may is stored in smaller parts", async () => {
    await database.knex.raw(`
      CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM added) > 3 THEN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END IF;
        RETURN NULL; END $$;
      CREATE TRIGGER slow AFTER INSERT ON results REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION be_slow()`);
    try {
      const rows = recentSlots(check, 80).slice(0, 10).map(row);
      expect(await deliver(rows)).toEqual([]);
      expect(await storedSlots()).toEqual(expect.arrayContaining(rows.map(({ slotMs }) => slotMs)));
    } finally {
      await database.knex.raw("DROP FUNCTION be_slow CASCADE");
    }
  });

  test("a batch of more results than one message may carry ends the stream, and stores none", async () => {
    const greedy = connectAgent(fleet.url, team.runnerSecret);
    const [slotMs = 0] = recentSlots(check, 90);
    greedy.send({ case: "resultBatch", value: aBatch(1, new Array(5_001).fill(row(slotMs))) });
    expect(ConnectError.from(await greedy.ended)).toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringMatching(/5001.*5000/),
    });
    expect(await storedSlots()).not.toContain(slotMs);
  });

  test("a partition that was dropped is made again", async () => {
    const [slotMs = 0] = slots.slice(55);
    await deliver([row(slotMs)]);
    const { partition } = await database
      .knex("results")
      .where({ checkKey: check.key, slotMs })
      .first(database.knex.raw("tableoid::regclass::text AS partition"));
    // On Citus a row is in a shard of the partition, which has a number behind its name.
    await database.knex.raw(`DROP TABLE ${isOnCitus ? partition.replace(/_\d+$/, "") : partition}`);
    expect(await storedSlots()).not.toContain(slotMs);
    expect(await deliver([row(slotMs)])).toEqual([]);
    expect(await storedSlots()).toContain(slotMs);
  });

  test("results are acknowledged only once they are committed, also across an outage of the database", async () => {
    const [slotMs = 0] = slots.slice(25);
    const name = new URL(database.url).pathname.slice(1);
    const admin = await createTestDatabase({ poolMax: 1 });
    try {
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.knex.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?", [
        name,
      ]);
      const delivered = deliver([row(slotMs)]);
      agent.heartbeat();
      await agent.next("heartbeatReply");
      const isAcknowledged = () =>
        agent.received.some(({ message }) => message.case === "ack" && message.value.seq === BigInt(seq));
      expect(isAcknowledged()).toBe(false);
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      expect(await delivered).toEqual([]);
      expect(await storedSlots()).toContain(slotMs);
    } finally {
      await admin.drop();
    }
  });
});
