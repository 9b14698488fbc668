/** Test fleets: a control plane's runner side on a test database, agents that speak the real protocol, rows to watch. */
import { randomBytes, randomUUID } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { type CheckId, newId, phaseMs, slotAtOrAfter, type TeamId } from "@svc/contract";
import {
  type Assignment,
  type Check,
  HeartbeatSchema,
  HelloSchema,
  type ResultBatch,
  ResultBatchSchema,
  RunnerService,
  type SessionRequest,
  SessionRequestSchema,
  type SessionResponse,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { pino } from "pino";
import { Registry } from "prom-client";
import { hashToken } from "../src/accounts/identity/tokens.ts";
import { startAlertJobs } from "../src/alerting/jobs.ts";
import { createFleetServices, type FleetServices } from "../src/app/fleet-services.ts";
import { type RunningFleet, startFleet } from "../src/app/start-fleet.ts";
import type { FleetTiming } from "../src/gateway/fleet.ts";
import { PushQueue } from "../src/gateway/push-queue.ts";
import { systemClock } from "../src/platform/clock.ts";
import { configuredPublicUrl, parseConfig } from "../src/platform/config.ts";
import { createSecretBox } from "../src/platform/db/secret-box.ts";
import { wakeFleets } from "../src/platform/db/wake-ups.ts";
import type { Services } from "../src/platform/services.ts";
import { startResultJobs } from "../src/results/retention/jobs.ts";
import { recordAuditEvent } from "../src/telemetry/derived-events/record-audit-event.ts";
import { recordChangeEvents } from "../src/telemetry/derived-events/record-change-events.ts";

export const TEST_SECRETS = createSecretBox("test-secret-key-test-secret-key-test");

/** Services as main.ts makes them, on the test's database. */
export function testServices(knex: Knex, settings: Record<string, string> = {}): Services {
  const config = parseConfig({ SVC_RUNNER_PORT: "0", ...settings });
  return {
    config,
    clock: systemClock,
    random: Math.random,
    log: pino({ level: process.env.TEST_LOG_LEVEL ?? "silent" }),
    knex,
    secrets: TEST_SECRETS,
    publicUrl: () => configuredPublicUrl(config),
    onChange: recordChangeEvents,
    onAudit: recordAuditEvent,
    replicaId: randomUUID(),
  };
}

/** A replica's side of the fleet with the jobs over results and alerts. */
export interface TestFleet extends FleetServices, RunningFleet {}

/** Starts one replica's side of the fleet, with short times. */
export async function startTestFleet(
  services: Services,
  timing: FleetTiming = { handoverMs: 100, pollIntervalMs: 200, recoveryHoldMs: 500 },
): Promise<TestFleet> {
  const parts = createFleetServices(services, { version: "test", registry: new Registry(), timing });
  const jobs = [startResultJobs(services), startAlertJobs(services, parts.evaluator)];
  const running = await startFleet(services, parts);
  return {
    ...parts,
    url: running.url,
    close: async () => {
      await running.close();
      await Promise.all(jobs.map((job) => job.close()));
    },
  };
}

/** A team with a private location and a runner key for it. */
export interface TestTeam {
  id: TeamId;
  locationId: string;
  locationKey: number;
  runnerKeyId: string;
  runnerSecret: string;
}

export async function aTeam(knex: Knex): Promise<TestTeam> {
  const id = newId("team");
  const locationId = newId("location");
  await knex("teams").insert({ id, name: "team" });
  const [location] = await knex("locations")
    .insert({
      id: locationId,
      teamId: id,
      name: locationId,
      displayName: "here",
      region: "private",
      type: "private",
    })
    .returning("key");
  const locationKey = location?.key as number;
  return { id, locationId, locationKey, ...(await aRunnerKey(knex, locationKey)) };
}

/** @param locationKey null: for the hosted pool */
export async function aRunnerKey(
  knex: Knex,
  locationKey: number | null,
): Promise<{ runnerKeyId: string; runnerSecret: string }> {
  const runnerSecret = `rk_${randomBytes(32).toString("hex")}`;
  const runnerKeyId = newId("runnerKey");
  await knex("runner_keys").insert({
    id: runnerKeyId,
    locationKey,
    name: "key",
    keyPrefix: runnerSecret.slice(0, 8),
    keyHash: hashToken(runnerSecret),
  });
  return { runnerKeyId, runnerSecret };
}

export interface TestCheck {
  key: number;
  id: CheckId;
  frequencySeconds: number;
}

export interface CheckOptions {
  frequencySeconds?: number;
  locationIds?: string[];
  locationKeys?: number[];
  enabled?: boolean;
  type?: string;
  effectiveFromMs?: number;
  auth?: unknown;
}

/** A check as the REST side stores it: row, schedule revision, notification, in one transaction. */
export async function aCheck(knex: Knex, team: TestTeam, options: CheckOptions = {}): Promise<TestCheck> {
  const id = newId("check");
  const frequencySeconds = options.frequencySeconds ?? 60;
  const enabled = options.enabled ?? true;
  return knex.transaction(async (trx) => {
    const { rows } = await trx.raw("SELECT nextval('check_revisions_seq') AS revision");
    const revision = rows[0].revision;
    const [row] = await trx("checks")
      .insert({
        id,
        teamId: team.id,
        name: "check",
        type: options.type ?? "http",
        config: JSON.stringify({ url: "http://127.0.0.1:1/" }),
        configSecrets: options.auth ? TEST_SECRETS.seal(JSON.stringify({ auth: options.auth }), id) : null,
        frequencySeconds,
        locationIds: options.locationIds ?? [team.locationId],
        enabled,
        revision,
      })
      .returning("key");
    await trx("check_revisions").insert({
      checkKey: row?.key,
      revision,
      frequencySeconds,
      locationKeys: options.locationKeys ?? [team.locationKey],
      enabled,
      effectiveFromMs: options.effectiveFromMs ?? Date.now(),
    });
    await wakeFleets(trx, "checks");
    return { key: row?.key as number, id, frequencySeconds };
  });
}

/** The newest slots of a check that are due, oldest first. */
export function recentSlots(check: TestCheck, count: number): number[] {
  const periodMs = check.frequencySeconds * 1000;
  const next = slotAtOrAfter(Date.now(), periodMs, phaseMs(check.id, check.frequencySeconds));
  return Array.from({ length: count }, (_, i) => next - (count - i) * periodMs);
}

/** A batch of plain successes for these slots. */
export function aBatch(
  seq: number,
  rows: readonly { checkKey: number; locationKey: number; slotMs: number }[],
  overrides: MessageInitShape<typeof ResultBatchSchema> = {},
): ResultBatch {
  const same = <T>(value: T) => rows.map(() => value);
  return create(ResultBatchSchema, {
    seq: BigInt(seq),
    checkKeys: rows.map((row) => BigInt(row.checkKey)),
    locationKeys: rows.map((row) => row.locationKey),
    slotsMs: rows.map((row) => BigInt(row.slotMs)),
    startDelaysMs: same(3),
    elapsedUs: same(12_000),
    statuses: same(1),
    httpStatusCodes: same(200),
    responseTimeUs: same(10_000),
    dnsLookupUs: same(-1),
    tcpConnectUs: same(200),
    tlsHandshakeUs: same(-1),
    ttfbUs: same(9_000),
    contentTransferUs: same(800),
    traceIds: new Uint8Array(16 * rows.length),
    ...overrides,
  } as MessageInitShape<typeof ResultBatchSchema>);
}

type MessageCase = NonNullable<SessionResponse["message"]["case"]>;
type MessageValue<Case extends MessageCase> = Extract<SessionResponse["message"], { case: Case }>["value"];

export interface TestAgent {
  runnerUuid: string;
  processUuid: string;
  /** Everything received, in order. */
  received: SessionResponse[];
  /** Resolves when the stream has ended: undefined, or the error that it ended with. */
  ended: Promise<unknown>;
  send(message: SessionRequest["message"]): void;
  heartbeat(overrides?: { accepting?: boolean; draining?: boolean; backlogResults?: bigint }): void;
  /** Resolves with the first message, past or future, that is of the case and passes the filter. */
  next<Case extends MessageCase>(
    wanted: Case,
    filter?: (value: MessageValue<Case>) => boolean,
  ): Promise<MessageValue<Case>>;
  /** Returns the state that the messages so far add up to. */
  assignments(): Map<string, Assignment>;
  checks(): Map<bigint, Check>;
  /** Cuts the connection without a goodbye. */
  kill(): void;
  /** Says goodbye and waits for the end. */
  leave(): Promise<void>;
}

export interface AgentOptions {
  runnerUuid?: string;
  processUuid?: string;
  capabilities?: string[];
  capacityPerSecond?: number;
  locationIds?: string[];
  protocolVersion?: number;
  /** X25519, 32 bytes; absent: an agent of a version without secrets. */
  secretsPublicKey?: Uint8Array;
}

/** An agent's side of the protocol, over a connection of its own. */
export function connectAgent(url: string, secret: string, options: AgentOptions = {}): TestAgent {
  const abort = new AbortController();
  const client = createClient(RunnerService, createGrpcTransport({ baseUrl: url }));
  const outgoing = new PushQueue<SessionRequest>();
  const received: SessionResponse[] = [];
  const waiters = new Set<() => void>();
  const runnerUuid = options.runnerUuid ?? randomUUID();
  const processUuid = options.processUuid ?? randomUUID();
  const send = (message: SessionRequest["message"]) =>
    outgoing.push(create(SessionRequestSchema, { message }));
  send({
    case: "hello",
    value: create(HelloSchema, {
      protocolVersion: options.protocolVersion ?? 1,
      runnerUuid,
      processUuid,
      agentVersion: "test",
      hostname: "host",
      capabilities: options.capabilities ?? ["http"],
      capacityPerSecond: options.capacityPerSecond ?? 100,
      locationIds: options.locationIds ?? [],
      agentSentAtMs: BigInt(Date.now()),
      secretsPublicKey: options.secretsPublicKey ?? new Uint8Array(),
    }),
  });
  const stream = client.session(outgoing, {
    signal: abort.signal,
    headers: { authorization: `Bearer ${secret}` },
  });
  let failure: unknown;
  const ended = (async () => {
    try {
      for await (const response of stream) {
        received.push(response);
        for (const wake of [...waiters]) wake();
      }
    } catch (error) {
      failure = error;
    }
    outgoing.end();
    for (const wake of [...waiters]) wake();
    return failure;
  })();
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  const agent: TestAgent = {
    runnerUuid,
    processUuid,
    received,
    ended,
    send,
    heartbeat: (overrides = {}) =>
      send({
        case: "heartbeat",
        value: create(HeartbeatSchema, { agentSentAtMs: BigInt(Date.now()), accepting: true, ...overrides }),
      }),
    next: async <Case extends MessageCase>(
      wanted: Case,
      filter: (value: MessageValue<Case>) => boolean = () => true,
    ) => {
      for (;;) {
        for (const { message } of received)
          if (message.case === wanted && filter(message.value as MessageValue<Case>))
            return message.value as MessageValue<Case>;
        if (isEnded || failure) throw new Error(`the stream ended before ${wanted}`, { cause: failure });
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiters.delete(wake);
            resolve();
          };
          waiters.add(wake);
        });
      }
    },
    assignments: () => currentAssignments(received),
    checks: () => currentChecks(received),
    kill: () => abort.abort(),
    leave: async () => {
      send({ case: "goodbye", value: { $typeName: "svc.runner.v1.Goodbye" } });
      await ended;
    },
  };
  return agent;
}

function currentAssignments(received: readonly SessionResponse[]): Map<string, Assignment> {
  const current = new Map<string, Assignment>();
  const id = (pair: { checkKey: bigint; locationKey: number }) => `${pair.checkKey}:${pair.locationKey}`;
  for (const { message } of received) {
    if (message.case !== "snapshot" && message.case !== "delta") continue;
    for (const assignment of message.value.assignments) current.set(id(assignment), assignment);
    if (message.case === "delta") for (const gone of message.value.unassignments) current.delete(id(gone));
  }
  return current;
}

function currentChecks(received: readonly SessionResponse[]): Map<bigint, Check> {
  const current = new Map<bigint, Check>();
  for (const { message } of received)
    if (message.case === "snapshot" || message.case === "delta")
      for (const check of message.value.checks) current.set(check.checkKey, check);
  return current;
}
