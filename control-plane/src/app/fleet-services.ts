/**
 * Creates a replica's side of the fleet: sessions of agents, ingest of their results, alert evaluation. Nothing runs
 * yet.
 */
import type { Registry } from "prom-client";
import { AlertEvaluator } from "../alerting/evaluation/evaluator.ts";
import { alertMetrics } from "../alerting/metrics.ts";
import { FleetState } from "../fleet/fleet-state.ts";
import { Fleet, type FleetTiming } from "../gateway/fleet.ts";
import { postgresGatewayStore } from "../gateway/gateway-store.ts";
import { fleetMetrics } from "../gateway/metrics.ts";
import type { Services } from "../platform/services.ts";
import { postgresIngestStore } from "../results/ingest/ingest-store.ts";
import { Ingester } from "../results/ingest/ingester.ts";
import { ingestMetrics } from "../results/ingest/metrics.ts";
import type { ResultConsumer } from "../results/ingest/write-group.ts";
import { telemetryConsumer } from "../telemetry/result-consumer.ts";

/** The replica's version, its metrics, and the timing of the fleet (tests shorten it). */
export interface FleetServicesOptions {
  /** Version of the control plane's software, as agents are informed of it. */
  version: string;
  /** Where metrics are registered. */
  registry: Registry;
  timing?: FleetTiming;
  /** Learns of results after their commit; see {@link Ingester}. */
  onStored?: ConstructorParameters<typeof Ingester>[0]["onStored"];
}

/** A replica's side of the fleet. All of it reads and writes one `state`. */
export interface FleetServices {
  /** Checks, locations and runners as this replica knows them. */
  state: FleetState;
  fleet: Fleet;
  ingester: Ingester;
  evaluator: AlertEvaluator;
}

/**
 * Creates a replica's side of the fleet. Its ingester evaluates alerts and queues telemetry in the transaction that
 * stores results.
 */
export function createFleetServices(services: Services, options: FleetServicesOptions): FleetServices {
  const { config, knex, log, clock, random } = services;
  const { version, registry, timing, onStored } = options;
  const nowMs = () => clock.nowMs();
  const state = new FleetState();
  const evaluator = new AlertEvaluator({ log, nowMs, random, metrics: alertMetrics(registry) });
  const ingester: Ingester = new Ingester({
    store: postgresIngestStore(
      knex,
      inOrder(
        evaluator.evaluateStored,
        telemetryConsumer(services, (key) => state.identityOf(key)),
      ),
    ),
    log,
    state,
    nowMs,
    retentionDays: config.retentionDays,
    metrics: ingestMetrics(registry),
    refreshFleet: () => fleet.refresh(),
    onStored: (columns, isInserted) => {
      fleet.runSpans.stored(columns, isInserted);
      onStored?.(columns, isInserted);
    },
  });
  const fleet: Fleet = new Fleet({
    services,
    store: postgresGatewayStore(services),
    state,
    ingester,
    version,
    metrics: fleetMetrics(registry),
    timing,
  });
  return { state, fleet, ingester, evaluator };
}

/** Runs the parts one after another, in one order for every transaction: each takes locks. */
function inOrder(...parts: ResultConsumer[]): ResultConsumer {
  return async (trx, group, stored) => {
    for (const part of parts) await part(trx, group, stored);
  };
}
