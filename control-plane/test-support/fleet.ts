/** Test fleets: a control plane's runner side on a test database, and rows to watch. */
import { randomBytes, randomUUID } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type CheckId, newId, phaseMs, slotAtOrAfter, type TeamId } from "@svc/contract";
import { type ResultBatch, ResultBatchSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { pino } from "pino";
import { Registry } from "prom-client";
import { hashToken } from "../src/accounts/identity/tokens.ts";
import { startAlertJobs } from "../src/alerting/jobs.ts";
import { createFleetServices, type FleetServices } from "../src/app/fleet-services.ts";
import { type RunningFleet, startFleet } from "../src/app/start-fleet.ts";
import type { FleetTiming } from "../src/gateway/fleet.ts";
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
    runnerPort: () => config.runnerPort,
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
  const jobs = [startResultJobs(services, new Registry()), startAlertJobs(services, parts.evaluator)];
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
