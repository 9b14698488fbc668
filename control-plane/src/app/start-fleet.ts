/** Starts a replica's side of the fleet: the runners' listener, the watch over the fleet, ingest, the jobs over results. */
import { setTimeout as sleep } from "node:timers/promises";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Registry } from "prom-client";
import { AlertEvaluator } from "../alerting/evaluation/evaluator.ts";
import { startAlertJobs } from "../alerting/jobs.ts";
import { alertMetrics } from "../alerting/metrics.ts";
import { readBurnRates } from "../alerting/slos/read-burn-rates.ts";
import { FleetState } from "../fleet/fleet-state.ts";
import { Fleet, type FleetTiming } from "../gateway/fleet.ts";
import { answerHealth, isHealthRequest } from "../gateway/grpc-health.ts";
import { listen } from "../gateway/listener.ts";
import { fleetMetrics } from "../gateway/metrics.ts";
import { runnerRoutes } from "../gateway/service.ts";
import { processMetrics } from "../platform/metrics/registry.ts";
import type { Services } from "../platform/services.ts";
import { Ingester } from "../results/ingest/ingester.ts";
import { ingestMetrics } from "../results/ingest/metrics.ts";
import type { ResultIntake } from "../results/ingest/routes.ts";
import type { ResultConsumer } from "../results/ingest/write-group.ts";
import { startResultJobs } from "../results/retention/jobs.ts";
import { telemetryAfterStore } from "../telemetry/after-store.ts";

export interface FleetOptions {
  /** Version of the control plane's software, told to agents. */
  version?: string;
  /** Where metrics are registered; default: the process's. */
  registry?: Registry;
  timing?: FleetTiming;
}

export interface RunningFleet {
  /** Where agents connect. */
  url: string;
  fleet: Fleet;
  ingester: Ingester;
  /** For the REST route of results. */
  intake: ResultIntake;
  /** Asks the agents to connect elsewhere, commits and acknowledges what has arrived, then ends every stream. */
  close(): Promise<void>;
}

/** Largest message that is read; a batch of results with their evidence fits in. */
const READ_BYTES_MAX = 16 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 3_000;

/**
 * Starts; the schema must be up to date. The database may go away at any time: agents stay connected, nothing is
 * acknowledged until it is back.
 * @throws when the address can't be bound
 */
export async function startFleet(services: Services, options: FleetOptions = {}): Promise<RunningFleet> {
  const { config, knex, log, clock } = services;
  const registry = options.registry ?? processMetrics;
  const state = new FleetState();
  const evaluator = new AlertEvaluator({
    log,
    nowMs: () => clock.nowMs(),
    metrics: alertMetrics(registry),
    readBurnRates,
  });
  const ingester: Ingester = new Ingester({
    knex,
    log,
    state,
    nowMs: () => clock.nowMs(),
    retentionDays: config.retentionDays,
    metrics: ingestMetrics(registry),
    refreshFleet: () => fleet.refresh(),
    consume: inTurn(
      evaluator.afterStore,
      telemetryAfterStore(services, (key) => state.check(key)),
    ),
  });
  const fleet: Fleet = new Fleet({
    services,
    state,
    ingester,
    metrics: fleetMetrics(registry),
    version: options.version ?? "dev",
    timing: options.timing,
  });
  const handler = connectNodeAdapter({
    routes: runnerRoutes(services, state, fleet),
    readMaxBytes: READ_BYTES_MAX,
  });
  let isClosing = false;
  const listener = await listen({
    host: config.runnerHost,
    port: config.runnerPort,
    tls: tlsFiles(services),
    handler: (request, response) => {
      if (isHealthRequest(request)) answerHealth(request, response, !isClosing);
      else handler(request, response);
    },
  });
  fleet.start();
  const jobs = startResultJobs(services);
  const alertJobs = startAlertJobs(services, evaluator);
  return {
    url: listener.url,
    fleet,
    ingester,
    intake: { ingester, state, refreshFleet: () => fleet.refresh() },
    close: async () => {
      isClosing = true;
      listener.refuse();
      fleet.drain("the control plane is shutting down");
      await ingester.close(CLOSE_TIMEOUT_MS);
      for (const session of fleet.sessions) session.end();
      await untilClosed(fleet);
      await listener.close();
      await fleet.close();
      await jobs.close();
      await alertJobs.close();
    },
  };
}

/** In this order everywhere: each takes locks. */
function inTurn(...parts: ResultConsumer[]): ResultConsumer {
  return async (trx, group, stored) => {
    for (const part of parts) await part(trx, group, stored);
  };
}

function tlsFiles({ config }: Services): { certFile: string; keyFile: string } | undefined {
  const { runnerTlsCertFile: certFile, runnerTlsKeyFile: keyFile } = config;
  return certFile && keyFile ? { certFile, keyFile } : undefined;
}

/** Streams that ended write their last messages; those that don't get read are cut. */
async function untilClosed(fleet: Fleet): Promise<void> {
  const deadline = performance.now() + CLOSE_TIMEOUT_MS;
  while ([...fleet.sessions].length > 0 && performance.now() < deadline) await sleep(10);
}
