import { createDecipheriv, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from "node:crypto";
import { newId } from "@svc/contract";
import type { Check } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import {
  aCheck,
  aRunnerKey,
  aTeam,
  startTestFleet,
  TEST_SECRETS,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../test-support/fleet.ts";
import { connectAgent, type TestAgent } from "../../test-support/test-agent.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";

const SPKI_PREFIX = Buffer.from("302a300506032b656e032100", "hex");

let database: TestDatabase;
let fleet: TestFleet;
let knex: Knex;
let team: TestTeam;
const agents: TestAgent[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  knex = database.knex;
  team = await aTeam(knex);
  fleet = await startTestFleet(testServices(knex));
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.kill();
  await fleet.close();
  await database.drop();
});

/** A key pair of an agent, and what opens with it. */
function aKey() {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const own = publicKey.export({ format: "der", type: "spki" }).subarray(SPKI_PREFIX.length);
  return {
    publicKey: own,
    open({ sealedSecrets, checkId }: Check): Record<string, string> {
      const sealed = Buffer.from(sealedSecrets);
      const sender = sealed.subarray(1, 33);
      const theirs = createPublicKey({
        key: Buffer.concat([SPKI_PREFIX, sender]),
        format: "der",
        type: "spki",
      });
      const shared = diffieHellman({ privateKey, publicKey: theirs });
      const key = Buffer.from(hkdfSync("sha256", shared, Buffer.concat([sender, own]), "svc vault v1", 32));
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(33, 45));
      decipher.setAAD(Buffer.from(`svc vault v1 ${checkId}`));
      decipher.setAuthTag(sealed.subarray(45, 61));
      return JSON.parse(decipher.update(sealed.subarray(61), undefined, "utf8") + decipher.final("utf8"));
    },
  };
}

function connect(options: Parameters<typeof connectAgent>[2], secret = team.runnerSecret): TestAgent {
  const agent = connectAgent(fleet.url, secret, options);
  agents.push(agent);
  return agent;
}

async function aSecret(name: string, value: string) {
  const id = newId("secret");
  const { rows } = await knex.raw("SELECT nextval('check_revisions_seq') AS revision");
  await knex("teamSecrets").insert({
    id,
    teamId: team.id,
    name,
    value: TEST_SECRETS.seal(value, id),
    revision: rows[0].revision,
  });
  return id;
}

/** A check that refers to the secrets of these names. */
async function aVaultCheck(...vaultNames: string[]) {
  const check = await aCheck(knex, team);
  await knex("checks")
    .where({ key: check.key })
    .update({
      vaultNames,
      revision: knex.raw("nextval('check_revisions_seq')"),
      changedXid: knex.raw("pg_current_xact_id()"),
    });
  return check;
}

async function rotate(id: string, value: string) {
  await knex.transaction(async (trx) => {
    await trx("teamSecrets")
      .where({ id })
      .update({
        value: TEST_SECRETS.seal(value, id as never),
        revision: trx.raw("nextval('check_revisions_seq')"),
        changedXid: trx.raw("pg_current_xact_id()"),
      });
    await wakeFleets(trx, "checks");
  });
}

const checksOf = async (agent: TestAgent) => {
  await agent.next("snapshot", ({ last }) => last);
  return agent.checks();
};

describe("the values of secrets that a check refers to", () => {
  it("come sealed to the key of the agent, and open with no other key nor for another check", async () => {
    await aSecret("TOKEN", "value of token");
    const check = await aVaultCheck("TOKEN");
    const key = aKey();
    const received = (await checksOf(connect({ secretsPublicKey: key.publicKey }))).get(BigInt(check.key));
    if (!received) throw new Error("the check did not come");
    expect(key.open(received)).toEqual({ TOKEN: "value of token" });
    expect(() => aKey().open(received)).toThrow();
    expect(() => key.open({ ...received, checkId: "chk_other" })).toThrow();
    expect(Buffer.from(received.sealedSecrets).includes("value of token")).toBe(false);
  });

  it("come again at once after another value was set, under a greater revision", async () => {
    const id = await aSecret("TOKEN", "old");
    const check = await aVaultCheck("TOKEN");
    const other = await aCheck(knex, team);
    const key = aKey();
    const agent = connect({ secretsPublicKey: key.publicKey });
    const before = (await checksOf(agent)).get(BigInt(check.key)) as Check;
    const atMs = performance.now();
    await rotate(id, "new");
    const delta = await agent.next("delta", ({ checks }) =>
      checks.some(({ checkId }) => checkId === check.id),
    );
    expect(performance.now() - atMs).toBeLessThan(15_000);
    const after = delta.checks.find(({ checkId }) => checkId === check.id) as Check;
    expect(key.open(after)).toEqual({ TOKEN: "new" });
    expect(after.revision > before.revision).toBe(true);
    expect(delta.checks.map(({ checkId }) => checkId)).not.toContain(other.id);
  });

  it("keep the check from agents without a key, and leave it to one that has a key", async () => {
    await aSecret("TOKEN", "v");
    const check = await aVaultCheck("TOKEN");
    const plain = await aCheck(knex, team);
    const old = connect({ capabilities: ["http", "vault"] });
    expect([...(await checksOf(old)).keys()]).toEqual([BigInt(plain.key)]);
    const key = aKey();
    const modern = connect({ secretsPublicKey: key.publicKey });
    await modern.next("snapshot", ({ last }) => last);
    await expect.poll(() => modern.checks().has(BigInt(check.key)), { timeout: 10_000 }).toBe(true);
  });

  it("are sealed anew to each agent: one runner's check is of no use to another runner", async () => {
    const second = await aRunnerKey(knex, team.locationKey);
    await aSecret("TOKEN", "v");
    for (let count = 0; count < 8; count++) await aVaultCheck("TOKEN");
    const [one, two] = [aKey(), aKey()];
    const [first, other] = [
      connect({ secretsPublicKey: one.publicKey }),
      connect({ secretsPublicKey: two.publicKey }, second.runnerSecret),
    ];
    await checksOf(first);
    await checksOf(other);
    for (const check of first.checks().values()) {
      expect(one.open(check)).toEqual({ TOKEN: "v" });
      expect(() => two.open(check)).toThrow();
    }
  });

  it.each([
    ["of 31 bytes", Buffer.alloc(31, 1)],
    ["that leads to a secret everybody knows", Buffer.alloc(32, 0)],
  ])("are sealed to no key %s: the session is refused", async (_name, secretsPublicKey) => {
    expect(String(await connect({ secretsPublicKey }).ended)).toContain("secrets_public_key");
  });
});
