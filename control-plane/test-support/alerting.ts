/**
 * A REST app with checks, channels and alert rules, and results stored as ingest stores them, judged in their
 * transaction.
 */
import {
  type CreateAlertRule,
  DAY_MS,
  type HostRequests,
  type McpSurface,
  type NewCheck,
  newId,
  type TeamId,
  type TlsFacts,
} from "@svc/contract";
import type { Knex } from "knex";
import { Registry } from "prom-client";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { AlertEvaluator, type AlertEvaluatorParts } from "../src/alerting/evaluation/evaluator.ts";
import { alertMetrics } from "../src/alerting/metrics.ts";
import { registerAlertRoutes } from "../src/alerting/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { emptyColumns } from "../src/results/ingest/columns.ts";
import { type ResultConsumer, type ResultGroup, writeGroup } from "../src/results/ingest/write-group.ts";
import { ensurePartitions } from "../src/results/retention/partitions.ts";
import { createTestApp, type TestApp, type TestClock } from "./app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "./builders.ts";

/** A result to be delivered; success of 10 ms unless it says otherwise. */
export interface Delivered {
  slotMs: number;
  locationKey?: number;
  checkKey?: number;
  status?: "success" | "failure" | "error" | "timeout";
  responseTimeMs?: number;
  runnerKey?: number;
  traceId?: string;
  detail?: Record<string, unknown>;
  tls?: Partial<TlsFacts>;
  /** Without TLS. */
  isPlain?: boolean;
  mcp?: McpSurface | undefined;
  /** Counted requests of a browser run. */
  requests?: readonly HostRequests[];
}

export interface AlertTestCheck {
  id: string;
  key: number;
  locationKeys: number[];
}

export interface AlertTest extends TestApp {
  evaluator: AlertEvaluator;
  channelId: string;
  /** Stores a check; its locations' keys in order. */
  newCheck(overrides?: Parameters<typeof aCheck>[0] | NewCheck): Promise<AlertTestCheck>;
  /** A webhook channel that takes alerts, not incidents. */
  newChannel(teamId?: TeamId): Promise<string>;
  /** Stores a rule over REST. @returns its id */
  newRule(check: AlertTestCheck, rule: Partial<CreateAlertRule> | Record<string, unknown>): Promise<string>;
  /** Stores results in one transaction, as one replica's ingest. */
  deliver(check: AlertTestCheck, results: readonly Delivered[], by?: ResultConsumer): Promise<void>;
  /** The check's instances, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
  instances(check: AlertTestCheck): Promise<any[]>;
  /** Kinds of the notifications that wait in the outbox, oldest first. */
  notifications(check: AlertTestCheck): Promise<string[]>;
  /** Another replica's evaluator on the same database. */
  newEvaluator(options?: Partial<AlertEvaluatorParts>): AlertEvaluator;
}

const STATUS = { success: 1, failure: 2, error: 3, timeout: 4 };

export async function createAlertTest(
  options: {
    evaluator?: Partial<AlertEvaluatorParts>;
    register?: (app: TestApp["app"], services: TestApp["services"]) => void;
    clock?: TestClock;
  } = {},
): Promise<AlertTest> {
  const test = await createTestApp({
    ...(options.clock ? { clock: options.clock } : {}),
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerAlertRoutes(app, services);
      options.register?.(app, services);
    },
  });
  const { knex, log, clock, secrets } = test.services;
  await seedHostedLocations(knex);
  await ensurePartitions(knex, clock.nowMs() - 9 * DAY_MS, clock.nowMs() + 2 * DAY_MS);
  const newEvaluator = (overrides: Partial<AlertEvaluatorParts> = {}) =>
    new AlertEvaluator({
      log,
      nowMs: () => clock.nowMs(),
      random: Math.random,
      metrics: alertMetrics(new Registry()),
      ...overrides,
    });
  const newChannel = async (teamId = test.team.teamId) => {
    const id = newId("channel");
    const config = secrets.seal(JSON.stringify({ type: "webhook", url: "http://127.0.0.1:9/hook" }), id);
    await knex("notificationChannels").insert({
      id,
      teamId,
      name: id,
      type: "webhook",
      config,
      incidentSubscribed: false,
    });
    return id;
  };
  const evaluator = newEvaluator(options.evaluator);
  const channelId = await newChannel();
  return Object.assign(test, {
    evaluator,
    channelId,
    newEvaluator,
    newChannel,
    newCheck: async (overrides: Parameters<typeof aCheck>[0] | NewCheck = {}) => {
      const body = wholeCheck(overrides);
      const answer = await test.call("POST", "/api/checks", body);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      const locationKeys = await Promise.all((body.locations ?? []).map((id) => keyOfLocation(knex, id)));
      return { id: answer.body.check.id, key: await keyOfCheck(knex, answer.body.check.id), locationKeys };
    },
    newRule: async (check: AlertTestCheck, rule: Record<string, unknown>) => {
      const answer = await test.call("POST", `/api/checks/${check.id}/alerts`, {
        channelIds: [channelId],
        ...rule,
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body.id as string;
    },
    deliver: async (check: AlertTestCheck, results: readonly Delivered[], by = evaluator.evaluateStored) => {
      await writeGroup(knex, groupOf(check, results), { bucketsMs: [], consume: by });
    },
    instances: (check: AlertTestCheck) => knex("alertInstances").where({ checkKey: check.key }).orderBy("id"),
    notifications: (check: AlertTestCheck) => readNotifications(knex, check),
  });
}

/** Returns the body of a check of any type, or completes that of an HTTP check. */
function wholeCheck(overrides: Parameters<typeof aCheck>[0] | NewCheck): NewCheck {
  return overrides?.type === undefined || overrides.type === "http"
    ? aCheck(overrides)
    : (overrides as NewCheck);
}

async function readNotifications(knex: Knex, check: AlertTestCheck): Promise<string[]> {
  const rows = await knex("notifications")
    .join("alertInstances", "alertInstances.id", "notifications.subjectId")
    .where({ checkKey: check.key })
    .orderBy("notifications.key")
    .select("notifications.kind");
  return rows.map(({ kind }) => kind);
}

/** The results as ingest hands them on. */
function groupOf(check: AlertTestCheck, results: readonly Delivered[]): ResultGroup {
  const group: ResultGroup = {
    columns: emptyColumns(),
    details: [],
    facts: [],
  };
  const { columns } = group;
  for (const [row, result] of results.entries()) {
    columns.checkKeys.push(result.checkKey ?? check.key);
    columns.locationKeys.push(result.locationKey ?? (check.locationKeys[0] as number));
    columns.slotsMs.push(result.slotMs);
    columns.runnerKeys.push(result.runnerKey ?? 1);
    columns.startDelaysMs.push(5);
    columns.elapsedUs.push(12_000);
    columns.responseTimeUs.push((result.responseTimeMs ?? 10) * 1000);
    for (const phase of [
      "dnsLookupUs",
      "tcpConnectUs",
      "tlsHandshakeUs",
      "ttfbUs",
      "contentTransferUs",
    ] as const)
      columns[phase].push(phase === "tlsHandshakeUs" && !result.isPlain ? 4_000 : -1);
    columns.httpStatusCodes.push(statusCodeOf(result));
    columns.statuses.push(STATUS[result.status ?? "success"]);
    columns.traceIds.push(result.traceId ?? "NULL");
    if (result.detail) group.details.push({ row, json: JSON.stringify(result.detail) });
    if (result.mcp) group.facts.push(aFact("mcp", row, result.mcp));
    if (result.requests) group.facts.push(aFact("requests", row, { hosts: result.requests }));
    if (result.tls) group.facts.push(aFact("tls", row, someTlsFacts(result.tls)));
  }
  return group;
}

export function someTlsFacts(overrides: Partial<TlsFacts> = {}): TlsFacts {
  return {
    host: "example.test",
    fingerprintSha256: "AA:01",
    issuer: "CN=issuer",
    subject: "CN=example.test",
    subjectAltNames: ["example.test"],
    validFrom: "2026-01-01T00:00:00.000Z",
    validTo: "2027-01-01T00:00:00.000Z",
    isTrusted: true,
    isSelfSigned: false,
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    ...overrides,
  };
}

function aFact(kind: "mcp" | "tls" | "requests", row: number, value: unknown) {
  return { row, kind, value, json: JSON.stringify(value) };
}

/** Error categories of failures without an answer. */
const UNANSWERED: readonly unknown[] = ["dns", "connect", "tls", "timeout"];
const NO_STATUS_CODE = 0;

function statusCodeOf({ status = "success", detail }: Delivered): number {
  if (status === "success") return 200;
  return UNANSWERED.includes(detail?.errorCategory) ? NO_STATUS_CODE : 503;
}
