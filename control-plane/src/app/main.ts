/**
 * Joins the parts into a running control plane. HTTP listens first, so that /healthz and /readyz can tell what it waits
 * for; the database may be down for as long as it likes; then migrations, first boot, the fleet, the embedded runner.
 */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "@svc/contract";
import type { Logger } from "pino";
import { registerKeyRoutes } from "../accounts/api-keys/routes.ts";
import { registerBillingRoutes } from "../accounts/billing/routes.ts";
import { registerChangeRoutes } from "../accounts/change-log/routes.ts";
import { registerCliLoginRoutes } from "../accounts/cli-login/routes.ts";
import { controlAccess } from "../accounts/identity/access.ts";
import { registerIdentityRoutes } from "../accounts/identity/routes.ts";
import { alertingDependents } from "../alerting/check-dependents.ts";
import { noteNotified } from "../alerting/instances/transition-store.ts";
import { registerAlertRoutes } from "../alerting/rules/routes.ts";
import { startSloJobs } from "../alerting/slos/jobs.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { registerSpecRoutes } from "../checks/api-specs/routes.ts";
import { registerDeployRoutes } from "../checks/deploy-baselines/routes.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { registerLocationRoutes } from "../checks/locations/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { startMaintenance } from "../checks/maintenance/jobs.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { reasonOf } from "../platform/db/errors.ts";
import { migrate } from "../platform/db/migrate.ts";
import { openServiceDatabase } from "../platform/db/open-database.ts";
import { openSecretBox } from "../platform/db/open-secret-box.ts";
import { type DatabaseConnection, openPool } from "../platform/db/pool.ts";
import type { ApiApp } from "../platform/http/api.ts";
import type { Lifecycle } from "../platform/http/readiness.ts";
import { createServer } from "../platform/http/server.ts";
import { processMetrics } from "../platform/metrics/registry.ts";
import { reachableUrl } from "../platform/reachable-url.ts";
import type { Services } from "../platform/services.ts";
import { VERSION } from "../platform/version.ts";
import { registerAnalysisRoutes } from "../response/analysis/routes.ts";
import { startIncidents } from "../response/incidents/main.ts";
import { registerIncidentRoutes } from "../response/incidents/routes.ts";
import { createDeliveryTools, type DeliveryTools } from "../response/notifications/deliver.ts";
import { startNotifications } from "../response/notifications/main.ts";
import { registerNotificationRoutes } from "../response/notifications/routes.ts";
import { startArtifacts } from "../results/artifacts/jobs.ts";
import { registerArtifactRoutes } from "../results/artifacts/routes.ts";
import { registerCoverageRoutes } from "../results/coverage/routes.ts";
import { type ResultIntake, registerRunnerResultRoutes } from "../results/ingest/routes.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { registerDeploymentRoutes } from "../telemetry/deployment-markers/routes.ts";
import { registerEventRoutes } from "../telemetry/feed/routes.ts";
import { createExportTools, startTelemetry, telemetryEgress } from "../telemetry/main.ts";
import { registerTelemetryRoutes } from "../telemetry/routes.ts";
import { type EmbeddedRunner, startEmbeddedRunner } from "./embedded-runner.ts";
import { bootFirst, type FirstBoot } from "./first-boot.ts";
import { type RunningFleet, startFleet } from "./start-fleet.ts";

export interface ControlPlane {
  /** Where REST listens. */
  httpUrl: string;
  /** Settles once everything runs; rejects when it never will (the runners' port is taken). */
  ready: Promise<Ready>;
  /** Ends everything in the reverse order, letting what is under way finish. Safe to call twice. */
  close(): Promise<void>;
}

export interface Ready {
  /** Where runner agents connect. */
  runnerUrl: string;
  firstBoot: FirstBoot | undefined;
}

const DATABASE_RETRY_MS = { first: 200, largest: 5_000 };

/**
 * Starts. Returns once HTTP listens, which with the embedded database is after that has started.
 * @throws DataFolderInUseError, EmbeddedPostgresError, or the system's error when the address can't be bound
 */
export async function startControlPlane(config: Config, log: Logger): Promise<ControlPlane> {
  const database = await openServiceDatabase(config, log);
  const knex = openPool(database.connection, { poolMax: config.databasePoolMax, log });
  let httpUrl = reachableUrl(config.host, config.httpPort);
  const services: Services = {
    config,
    clock: systemClock,
    log,
    knex,
    secrets: openSecretBox(config),
    publicUrl: () => config.publicUrl ?? httpUrl,
    replicaId: randomUUID(),
  };
  const lifecycle: Lifecycle = { state: { status: "starting", reason: "connecting to the database" } };
  const endings: (() => Promise<unknown>)[] = [() => database.close(), () => knex.destroy()];
  const stopping = new AbortController();
  let fleet: RunningFleet | undefined;

  const app = await createServer(services, { lifecycle, controlAccess });
  const deliveryTools = createDeliveryTools(services, {
    onDelivered: noteNotified,
  });
  await registerRoutes(
    app,
    services,
    intakeOf(() => fleet),
    deliveryTools,
  );
  endings.push(() => app.close());
  try {
    await app.listen({ host: config.host, port: config.httpPort });
  } catch (error) {
    await end();
    throw error;
  }
  // Differs from the port in the settings when that is 0.
  httpUrl = reachableUrl(config.host, (app.server.address() as AddressInfo).port);

  const ready = start();
  ready.catch(() => undefined);
  let ending: Promise<void> | undefined;
  return {
    httpUrl,
    ready,
    close: () => {
      ending ??= close();
      return ending;
    },
  };

  async function start(): Promise<Ready> {
    const firstBoot = await prepareDatabase(
      services,
      database.connection,
      lifecycle,
      healthUrl(services, httpUrl),
      stopping.signal,
    );
    const notifications = startNotifications(services, deliveryTools);
    endings.push(() => notifications.close());
    const incidents = startIncidents(services);
    endings.push(() => incidents.close());
    const maintenance = startMaintenance(services);
    endings.push(() => maintenance.close());
    const sloJobs = startSloJobs(services);
    endings.push(() => sloJobs.close());
    const telemetry = startTelemetry(services, createExportTools(services, telemetryEgress(services)));
    endings.push(() => telemetry.close());
    const artifacts = startArtifacts(services);
    endings.push(() => artifacts.close());
    const running = await startFleet(services, { version: VERSION, registry: processMetrics });
    fleet = running;
    endings.push(() => running.close());
    const runnerUrl = running.url;
    if (!stopping.signal.aborted) lifecycle.state = { status: "ready" };
    if (config.embeddedRunner && !stopping.signal.aborted) {
      const runner: EmbeddedRunner = await startEmbeddedRunner(services, runnerUrl);
      endings.push(() => runner.stop());
    }
    return { runnerUrl, firstBoot };
  }

  async function close(): Promise<void> {
    lifecycle.state = { status: "stopping", reason: "the process was asked to end" };
    stopping.abort();
    await ready.catch(() => undefined);
    await end();
  }

  async function end(): Promise<void> {
    for (const step of endings.reverse())
      await step().catch((err) => log.error({ err }, "a part did not end cleanly"));
  }
}

async function registerRoutes(
  app: ApiApp,
  services: Services,
  intake: ResultIntake,
  deliveryTools: DeliveryTools,
): Promise<void> {
  registerIdentityRoutes(app, services);
  registerCliLoginRoutes(app, services);
  registerCheckRoutes(app, services, [alertingDependents]);
  await registerResultRoutes(app, services);
  registerArtifactRoutes(app, services);
  await registerCoverageRoutes(app, services);
  await registerLocationRoutes(app, services);
  await registerRunnerResultRoutes(app, intake);
  await registerSpecRoutes(app, services);
  registerAnalysisRoutes(app, services);
  registerAlertRoutes(app, services);
  registerSloRoutes(app, services);
  registerEventRoutes(app, services);
  registerDeploymentRoutes(app, services);
  registerChannelRoutes(app, services);
  registerNotificationRoutes(app, services, deliveryTools);
  registerMaintenanceRoutes(app, services);
  registerLabelRoutes(app, services);
  registerDeployRoutes(app, services);
  registerChangeRoutes(app, services);
  registerKeyRoutes(app, services);
  registerBillingRoutes(app);
  registerIncidentRoutes(app, services);
  registerTelemetryRoutes(app, services, telemetryEgress(services));
}

/** Migrates, seeds and boots first, trying until the database lets it; /readyz tells why it waits. */
async function prepareDatabase(
  services: Services,
  connection: DatabaseConnection,
  lifecycle: Lifecycle,
  exampleUrl: string,
  stopping: AbortSignal,
): Promise<FirstBoot | undefined> {
  const { knex, log } = services;
  let lastReason = "";
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(connection);
      await seedHostedLocations(knex);
      return await bootFirst(services, exampleUrl);
    } catch (err) {
      if (stopping.aborted) throw err;
      const reason = `the database is not ready: ${reasonOf(err)}`;
      if (reason !== lastReason) log.warn({ err }, reason);
      lastReason = reason;
      lifecycle.state = { status: "starting", reason };
      const delayMs = Math.min(DATABASE_RETRY_MS.largest, DATABASE_RETRY_MS.first * 2 ** (attempt - 1));
      await sleep(delayMs, undefined, { signal: stopping });
    }
  }
}

/** The fleet as the REST route of results needs it, before it runs, too. */
function intakeOf(running: () => RunningFleet | undefined): ResultIntake {
  const intake = () => {
    const fleet = running();
    if (fleet) return fleet.intake;
    throw new DomainError("unavailable", "The service is starting; try again", { retryAfterSeconds: 2 });
  };
  return {
    get ingester() {
      return intake().ingester;
    },
    get state() {
      return intake().state;
    },
    refreshFleet: () => intake().refreshFleet(),
  };
}

/** What the example check watches: by loopback when the runner sits beside us and may go there, else as people reach us. */
function healthUrl({ config, publicUrl }: Services, httpUrl: string): string {
  const isBeside = config.embeddedRunner && config.egressPrivate !== "deny";
  return `${isBeside ? httpUrl : publicUrl()}/healthz`;
}
