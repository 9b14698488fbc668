/** The REST server on a database of its own, with a team, a key and a signed-in owner, to be asked by `inject`. */
import { type ApiKeyId, newId, type TeamId, type UserId } from "@svc/contract";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { type Logger, pino } from "pino";
import { controlAccess } from "../src/accounts/identity/access.ts";
import { SESSION_COOKIE } from "../src/accounts/identity/session-cookie.ts";
import { hashToken, keyPrefixOf, newKey, newToken } from "../src/accounts/identity/tokens.ts";
import type { Clock } from "../src/platform/clock.ts";
import { configuredPublicUrl, parseConfig } from "../src/platform/config.ts";
import { createSecretBox } from "../src/platform/db/secret-box.ts";
import type { ApiApp } from "../src/platform/http/api.ts";
import type { Lifecycle } from "../src/platform/http/lifecycle.ts";
import { createServer } from "../src/platform/http/server.ts";
import type { Services } from "../src/platform/services.ts";
import { recordAuditEvent } from "../src/telemetry/derived-events/record-audit-event.ts";
import { recordChangeEvents } from "../src/telemetry/derived-events/record-change-events.ts";
import { checkInjectedAnswers } from "./check-injected-answers.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** @param startMs Unix ms; default: a fixed instant of 2026 */
export function createTestClock(startMs = Date.UTC(2026, 5, 1, 12)): TestClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A team with an API key and a session of its owner. */
export interface TestTeam {
  teamId: TeamId;
  userId: UserId;
  apiKey: string;
  apiKeyId: ApiKeyId;
  /** Headers of a request by key. */
  byKey: { authorization: string };
  /** Headers of a request by session, with a same-origin Origin. */
  bySession: { cookie: string; origin: string };
}

export interface TestApp {
  app: ApiApp;
  services: Services;
  clock: TestClock;
  database: TestDatabase;
  lifecycle: Lifecycle;
  /** The team that `call` acts for; a test may put another one in its place. */
  team: TestTeam;
  createTeam(plan?: string): Promise<TestTeam>;
  /**
   * Asks with the team's API key; `body` is the parsed answer. Rejects when the answer differs from the OpenAPI
   * document.
   */
  call(
    method: InjectOptions["method"],
    url: string,
    payload?: InjectOptions["payload"],
    headers?: Record<string, string>,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  ): Promise<{ status: number; body: any; headers: LightMyRequestResponse["headers"] }>;
  close(): Promise<void>;
}

const PUBLIC_URL = "http://127.0.0.1:8080";

/** @param options.register the routes under test   @param options.settings environment variables over the defaults */
export async function createTestApp(
  options: {
    register?: (app: ApiApp, services: Services) => void | Promise<void>;
    settings?: Record<string, string>;
    clock?: TestClock;
    log?: Logger;
  } = {},
): Promise<TestApp> {
  const database = await createTestDatabase();
  const clock = options.clock ?? createTestClock();
  const config = parseConfig({ SVC_PUBLIC_URL: PUBLIC_URL, ...options.settings });
  const services: Services = {
    config,
    clock,
    random: Math.random,
    log: options.log ?? pino({ level: process.env.SVC_TEST_LOG_LEVEL ?? "silent" }),
    knex: database.knex,
    secrets: createSecretBox("a-secret-key-that-only-tests-use-0123456789"),
    publicUrl: () => configuredPublicUrl(config),
    runnerPort: () => config.runnerPort,
    onChange: recordChangeEvents,
    onAudit: recordAuditEvent,
    replicaId: "replica-under-test",
  };
  const lifecycle: Lifecycle = { state: { status: "ready" } };
  const app = await createServer(services, { lifecycle, controlAccess });
  await options.register?.(app, services);
  await app.ready();
  await checkInjectedAnswers(app);
  const createTeam = (plan = "self_hosted") => insertTeam(services, plan);
  const team = await createTeam();
  const test: TestApp = {
    app,
    services,
    clock,
    database,
    lifecycle,
    team,
    createTeam,
    call: async (method, url, payload, headers = test.team.byKey) => {
      const response = await app.inject({
        method,
        url,
        headers,
        ...(payload === undefined ? {} : { payload }),
      });
      const isJson = String(response.headers["content-type"]).includes("json");
      return {
        status: response.statusCode,
        headers: response.headers,
        body: isJson ? response.json() : response.body,
      };
    },
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
  return test;
}

async function insertTeam({ knex, clock }: Services, plan: string): Promise<TestTeam> {
  const [teamId, userId, apiKeyId] = [newId("team"), newId("user"), newId("apiKey")];
  const [apiKey, sessionToken] = [newKey("sk_"), newToken()];
  await knex("teams").insert({ id: teamId, name: "Test team", plan });
  await knex("users").insert({ id: userId, email: `${userId}@example.com`, name: "Olive Owner" });
  await knex("memberships").insert({ teamId, userId, role: "owner" });
  await knex("apiKeys").insert({
    id: apiKeyId,
    teamId,
    name: "Test key",
    keyPrefix: keyPrefixOf(apiKey),
    keyHash: hashToken(apiKey),
    source: "manual",
  });
  await knex("sessions").insert({
    tokenHash: hashToken(sessionToken),
    userId,
    teamId,
    expiresAt: new Date(clock.nowMs() + 24 * 60 * 60 * 1000),
  });
  return {
    teamId,
    userId,
    apiKey,
    apiKeyId,
    byKey: { authorization: `Bearer ${apiKey}` },
    bySession: { cookie: `${SESSION_COOKIE}=${sessionToken}`, origin: PUBLIC_URL },
  };
}
