import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { testServices } from "../../test-support/fleet.ts";
import { hashToken } from "../accounts/identity/tokens.ts";
import { isProcessAlive } from "../platform/is-process-alive.ts";
import { type EmbeddedRunner, startEmbeddedRunner } from "./embedded-runner.ts";

let folder: string;
let entry: string;
let database: TestDatabase;
const runners: EmbeddedRunner[] = [];

/** An agent's stand-in: writes down its start with its settings, and a clean end. */
const AGENT = `
import { appendFileSync } from "node:fs";
const { SVC_RUNNER_KEY, SVC_CONTROL_PLANE_URL, SVC_RUNNER_DATA_DIR, SVC_EGRESS_PRIVATE, DATABASE_URL } = process.env;
const write = (event) => appendFileSync(process.argv[1] + ".log", JSON.stringify(event) + "\\n");
process.on("SIGTERM", () => { write({ ended: process.pid }); process.exit(0); });
write({ started: process.pid, SVC_RUNNER_KEY, SVC_CONTROL_PLANE_URL, SVC_RUNNER_DATA_DIR, SVC_EGRESS_PRIVATE, DATABASE_URL });
setInterval(() => {}, 1000);`;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "svc-runner-"));
  entry = join(folder, "agent.mjs");
  writeFileSync(entry, AGENT);
  appendFileSync(`${entry}.log`, "");
});
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

async function start(settings: Record<string, string> = {}): Promise<EmbeddedRunner> {
  const services = testServices(database.knex, { SVC_DATA_DIR: join(folder, "data"), ...settings });
  const runner = await startEmbeddedRunner(services, "http://127.0.0.1:8081", entry);
  runners.push(runner);
  return runner;
}

function events(): Record<string, string & number>[] {
  const lines = readFileSync(`${entry}.log`, "utf8").trim();
  return lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line));
}

async function untilEvents(count: number) {
  while (events().length < count) await sleep(20);
  return events();
}

it("starts the agent with a hosted key that the database knows and nothing of our own environment", async () => {
  const runner = await start();
  const [started] = await untilEvents(1);
  expect(started).toMatchObject({
    SVC_CONTROL_PLANE_URL: "http://127.0.0.1:8081",
    SVC_EGRESS_PRIVATE: "deny",
    SVC_RUNNER_DATA_DIR: join(folder, "data", "embedded-runner"),
  });
  expect(started).not.toHaveProperty("DATABASE_URL");
  const keys = await database.knex("runner_keys").select("locationKey", "keyHash");
  expect(keys).toEqual([{ locationKey: null, keyHash: hashToken(started?.SVC_RUNNER_KEY ?? "") }]);
  expect(statSync(join(folder, "data", "embedded-runner-key")).mode & 0o777).toBe(0o600);
  await runner.close();
  expect(events()).toHaveLength(2);
  expect(isProcessAlive(started?.started ?? 0)).toBe(false);
});

it("the operator's choice about private addresses reaches the agent", async () => {
  await start({ SVC_EGRESS_PRIVATE: "allow" });
  expect((await untilEvents(1))[0]?.SVC_EGRESS_PRIVATE).toBe("allow");
});

it("an agent that dies is started again, with the same key", async () => {
  await start();
  const [first] = await untilEvents(1);
  process.kill(first?.started ?? 0, "SIGKILL");
  const [, second] = await untilEvents(2);
  expect(second?.SVC_RUNNER_KEY).toBe(first?.SVC_RUNNER_KEY);
  expect(second?.started).not.toBe(first?.started);
});

it.runIf(existsSync("/proc/self"))(
  "ends the agent that a killed control plane left before it starts its own",
  async () => {
    await start();
    const [left] = await untilEvents(1);
    await start();
    const all = await untilEvents(3);
    expect(all[1]).toEqual({ ended: left?.started });
    expect(all[2]?.started).not.toBe(left?.started);
  },
);

it("says how to build an agent that is missing", async () => {
  const services = testServices(database.knex, { SVC_DATA_DIR: join(folder, "data") });
  const starting = startEmbeddedRunner(services, "http://127.0.0.1:8081", join(folder, "missing.js"));
  await expect(starting).rejects.toThrow(/npm run build/);
});
