/** A team that exports, results that ingest stores for it, and one look of the exporter at a time. */
import { randomUUID } from "node:crypto";
import type { CheckId, TeamId, TlsFacts, UpdateTelemetry } from "@svc/contract";
import type { Knex } from "knex";
import { Registry } from "prom-client";
import type { Services } from "../src/platform/services.ts";
import { OPERATOR } from "../src/platform/team-context.ts";
import { emptyColumns } from "../src/results/ingest/columns.ts";
import { writeGroup } from "../src/results/ingest/write-group.ts";
import { ensurePartitions } from "../src/results/retention/partitions.ts";
import { type ClaimedExport, claimExports } from "../src/telemetry/export/export-store.ts";
import { type ExportTools, exportClaimed } from "../src/telemetry/export/exporter.ts";
import { exportMetrics } from "../src/telemetry/export/metrics.ts";
import { telemetryConsumer } from "../src/telemetry/result-consumer.ts";
import { createExportTools, telemetryEgress } from "../src/telemetry/start-telemetry.ts";
import { updateSettings } from "../src/telemetry/update-settings.ts";
import { aCheck, aTeam, type CheckOptions, type TestCheck, type TestTeam, testServices } from "./fleet.ts";

/** A result as a test states it. */
interface GivenResult {
  check: TestCheck;
  locationKey?: number;
  slotMs?: number;
  /** 1 success, 2 failure, 3 error, 4 timeout. */
  status?: number;
  traceId?: string;
  detail?: Record<string, unknown>;
  tls?: TlsFacts;
}

export interface TelemetryStage {
  services: Services;
  tools: ExportTools;
  team: TestTeam;
  aCheck(options?: CheckOptions): Promise<TestCheck>;
  set(settings: UpdateTelemetry, teamId?: TeamId): Promise<void>;
  /** Stores results as ingest does, in one transaction. */
  store(results: readonly GivenResult[], trx?: Knex): Promise<void>;
  /** Exports what is due, once. @returns how many exports were taken up */
  exportOnce(): Promise<number>;
  claim(): Promise<ClaimedExport[]>;
}

let lastSlotMs = 0;

export async function setTelemetryStage(knex: Knex): Promise<TelemetryStage> {
  const services = testServices(knex, { SVC_EGRESS_PRIVATE: "allow" });
  const tools: ExportTools = {
    ...createExportTools(services, telemetryEgress(services)),
    metrics: exportMetrics(new Registry()),
    random: () => 0.5,
    // No answer of a receiver is late, however busy the machine is; a test of silence sets its own.
    attemptTimeoutMs: 25_000,
  };
  const team = await aTeam(knex);
  const checks = new Map<number, { id: CheckId; teamId: TeamId }>();
  // The database's clock says when settings are read again; each stage reads them each time.
  const clock = { nowMs: (): number => (lastSlotMs += 10_000) };
  const consumer = telemetryConsumer({ ...services, clock }, (key) => checks.get(key));
  // The record of the settings' own change would stand among the records that a test expects.
  const unaudited = { ...services, onAudit: async () => {} };
  const claim = () => claimExports(knex, { leasedBy: randomUUID(), leaseMs: 30_000, limit: 100, except: [] });
  return {
    services,
    tools,
    team,
    claim,
    aCheck: async (options) => {
      const check = await aCheck(knex, team, options);
      checks.set(check.key, { id: check.id as CheckId, teamId: team.id });
      return check;
    },
    set: (settings, teamId = team.id) =>
      updateSettings({ services: unaudited, teamId, author: OPERATOR }, settings),
    store: async (results, trx = knex) => {
      const group = { columns: emptyColumns(), details: [], facts: [] } as Parameters<typeof writeGroup>[1];
      for (const [row, given] of results.entries()) {
        const slotMs = given.slotMs ?? uniqueSlot();
        group.columns.checkKeys.push(given.check.key);
        group.columns.locationKeys.push(given.locationKey ?? team.locationKey);
        group.columns.slotsMs.push(slotMs);
        group.columns.runnerKeys.push(1);
        group.columns.startDelaysMs.push(5);
        group.columns.elapsedUs.push(120_000);
        group.columns.responseTimeUs.push(100_400);
        group.columns.dnsLookupUs.push(10_000);
        group.columns.tcpConnectUs.push(20_000);
        group.columns.tlsHandshakeUs.push(-1);
        group.columns.ttfbUs.push(60_000);
        group.columns.contentTransferUs.push(10_400);
        group.columns.httpStatusCodes.push(200);
        group.columns.statuses.push(given.status ?? 1);
        group.columns.traceIds.push(given.traceId ?? "NULL");
        if (given.detail) group.details.push({ row, json: JSON.stringify(given.detail) });
        if (given.tls)
          group.facts.push({ row, kind: "tls", value: given.tls, json: JSON.stringify(given.tls) });
      }
      const slots = group.columns.slotsMs;
      await ensurePartitions(knex, Math.min(...slots), Math.max(...slots));
      await writeGroup(trx, group, { bucketsMs: [], consume: consumer });
    },
    exportOnce: async () => {
      const claimed = await claim();
      const never = new AbortController().signal;
      await Promise.all(claimed.map((one) => exportClaimed(tools, one, { stopping: never, cutting: never })));
      return claimed.length;
    },
  };
}

let slots = 0;

/** Results of one check never collide. */
function uniqueSlot(): number {
  return Date.now() - 3_600_000 + slots++;
}

export function tlsFacts(overrides: Partial<TlsFacts> = {}): TlsFacts {
  return {
    host: "shop.example.com",
    fingerprintSha256: "a".repeat(64),
    issuer: "CN=Issuer",
    subject: "CN=shop.example.com",
    subjectAltNames: ["shop.example.com"],
    validFrom: "2026-01-01T00:00:00.000Z",
    validTo: "2027-12-31T00:00:00.000Z",
    isTrusted: true,
    isSelfSigned: false,
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    ...overrides,
  };
}
