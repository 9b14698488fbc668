import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aCheck } from "../../test-support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { hashToken, keyPrefixOf, newKey } from "../accounts/identity/tokens.ts";
import { parseConfig } from "../platform/config.ts";
import { type ControlPlane, startControlPlane } from "./main.ts";

const GREEDY_KEY = newKey("sk_");
const MODEST_KEY = newKey("sk_");
const READ_TIMEOUT_MS = 500;

let database: TestDatabase;
let controlPlane: ControlPlane;
beforeAll(async () => {
  database = await createTestDatabase({ template: false });
  const config = parseConfig({
    SVC_HTTP_PORT: "0",
    SVC_RUNNER_PORT: "0",
    DATABASE_URL: database.url,
    SVC_SECRET_KEY: "a-secret-key-that-only-tests-use-0123456789",
    SVC_BOOTSTRAP_API_KEY: GREEDY_KEY,
    SVC_API_READ_TIMEOUT_MS: String(READ_TIMEOUT_MS),
  });
  controlPlane = await startControlPlane(config, pino({ level: "silent" }));
  await controlPlane.ready;
  await database.knex("teams").insert({ id: "team_modest", name: "Modest", plan: "self_hosted" });
  await database.knex("apiKeys").insert({
    id: "key_modest",
    teamId: "team_modest",
    name: "Key",
    keyPrefix: keyPrefixOf(MODEST_KEY),
    keyHash: hashToken(MODEST_KEY),
    source: "manual",
  });
});
afterAll(async () => {
  await controlPlane.close();
  await database.drop();
});

/** Fields of the answers that these tests read. Each answer has some of them. */
interface AnswerBody {
  check: { id: string };
  error: string;
}

async function ask(key: string, path: string, body?: unknown) {
  const response = await fetch(controlPlane.httpUrl + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as AnswerBody };
}

it("a team whose reads hang gets errors for them, and another team is served meanwhile", async () => {
  const { body } = await ask(GREEDY_KEY, "/api/checks", aCheck({ locations: ["loc_us_east"] }));
  const holder = await database.knex.transaction();
  await holder.raw("LOCK TABLE results IN ACCESS EXCLUSIVE MODE");
  let hasModestFinished = false;
  const path = `/api/checks/${body.check.id}/results`;
  const hanging = Array.from({ length: 30 }, async () => {
    const answer = await ask(GREEDY_KEY, path);
    return { ...answer, wasAfterModest: hasModestFinished };
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const webhook = { name: "Hook", channel: { type: "webhook", url: "http://127.0.0.1:9/" } };
  expect((await ask(MODEST_KEY, "/api/notification-channels")).status).toBe(200);
  expect((await ask(MODEST_KEY, "/api/notification-channels", webhook)).status).toBe(201);
  hasModestFinished = true;
  const answers = await Promise.all(hanging);
  await holder.rollback();
  for (const { status, body: refusal } of answers) {
    expect(status).toBe(503);
    expect(refusal.error).toMatch(/^The answer took the database too long; ask for a shorter time/);
  }
  expect(answers.filter(({ wasAfterModest }) => wasAfterModest).length).toBeGreaterThan(15);
  expect((await ask(GREEDY_KEY, path)).status).toBe(200);
});
