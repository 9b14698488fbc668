/**
 * The composition root: joins the parts into a running control plane. HTTP listens first, so that /healthz and /readyz can
 * tell why the rest waits; the database may be down for as long as it likes; then migrations, first boot, background parts,
 * the fleet, the embedded runner.
 */
import type { AddressInfo } from "node:net";
import { isLoopbackHost } from "@svc/contract";
import type { Logger } from "pino";
import { startApiKeyJob } from "../accounts/api-keys/jobs.ts";
import { controlAccess } from "../accounts/identity/access.ts";
import { recordNotified } from "../alerting/instances/record-notified.ts";
import { startAlertJobs } from "../alerting/jobs.ts";
import { startPolicyJobs } from "../alerting/policies/jobs.ts";
import { startSloJobs } from "../alerting/slos/jobs.ts";
import { startDeployPlanJob } from "../checks/deploy-plans/jobs.ts";
import { startFirstRunJob } from "../checks/first-runs/jobs.ts";
import { startMaintenanceJob } from "../checks/maintenance/jobs.ts";
import { startSealingJob } from "../checks/sealing/jobs.ts";
import { answerUnknownPage } from "../dashboard/routes.ts";
import { startTestRunJob } from "../gateway/test-runs/jobs.ts";
import { LiveHubs } from "../live/live-hubs.ts";
import { createPlainMail } from "../outbox/plain-mail.ts";
import { startScalingJob } from "../overview/capacity/scaling/jobs.ts";
import { startReportJob } from "../overview/reports/jobs.ts";
import { type Config, ConfigError } from "../platform/config.ts";
import { engineOf } from "../platform/db/engine.ts";
import { openServiceDatabase } from "../platform/db/open-database.ts";
import { openPools, type Pools, poolSizes } from "../platform/db/pools.ts";
import { StandbyReads } from "../platform/db/standby-reads.ts";
import { watchServers } from "../platform/db/watch-servers.ts";
import type { Lifecycle } from "../platform/http/lifecycle.ts";
import { Readiness } from "../platform/http/readiness.ts";
import { createServer } from "../platform/http/server.ts";
import { startLoopWatch } from "../platform/loop-watch.ts";
import { processMetrics } from "../platform/metrics/registry.ts";
import { reachableUrl } from "../platform/reachable-url.ts";
import type { Services } from "../platform/services.ts";
import { tracedConnections } from "../platform/tracing/trace-statements.ts";
import { VERSION } from "../platform/version.ts";
import { FaultFinder } from "../response/heartbeat/find-fault.ts";
import { startHeartbeat } from "../response/heartbeat/heartbeat.ts";
import { startIncidentPolicyJob } from "../response/incident-policy/jobs.ts";
import { startIncidentJobs } from "../response/incidents/jobs.ts";
import { startIncidentWorker } from "../response/incidents/worker.ts";
import { startLocationHealthJob } from "../response/location-health/jobs.ts";
import { createDeliveryTools, type DeliveryTools } from "../response/notifications/delivery-tools.ts";
import { startNotificationJobs } from "../response/notifications/jobs.ts";
import { startNotificationWorker } from "../response/notifications/worker.ts";
import { startArtifactJobs } from "../results/artifacts/jobs.ts";
import { startMissedDispatchJob } from "../results/coverage/record-missed-dispatches.ts";
import { startPushJob } from "../results/pushes/jobs.ts";
import { startResultJobs } from "../results/retention/jobs.ts";
import { startSubscriptionJob } from "../status-pages/deliveries/jobs.ts";
import { startStatusDeliveries } from "../status-pages/deliveries/worker.ts";
import { startStatusExportJobs } from "../status-pages/export/jobs.ts";
import { createExportTools, startTelemetry, telemetryEgress } from "../telemetry/start-telemetry.ts";
import { createServices } from "./create-services.ts";
import { startEmbeddedRunner } from "./embedded-runner.ts";
import type { FirstBoot } from "./first-boot.ts";
import { createFleetServices, type FleetServices } from "./fleet-services.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { registerRoutes } from "./register-routes.ts";
import { startFleet } from "./start-fleet.ts";
import { warnOfOpenNetwork } from "./warn-of-open-network.ts";

/** A control plane that was started. */
export interface ControlPlane {
  /** Where REST listens. */
  httpUrl: string;
  /** Resolves once everything runs; rejects when it never will (the runners' port is taken). */
  ready: Promise<Ready>;
  /** Ends everything in the reverse order of its start, letting work under way finish. Safe to call twice. */
  close(): Promise<void>;
}

interface Ready {
  /** Where runner agents connect. */
  runnerUrl: string;
  firstBoot: FirstBoot | undefined;
}

/** A part that was started. */
interface Closable {
  close(): Promise<unknown>;
}

/**
 * Starts a control plane. Returns once HTTP listens, which with the embedded database is after that has started.
 * @throws DataFolderInUseError, EmbeddedPostgresError, or the system's error when the address can't be bound
 */
export async function startControlPlane(config: Config, log: Logger): Promise<ControlPlane> {
  const database = await openServiceDatabase(config, log);
  const connections = config.otel.traces ? tracedConnections(database.connection) : database.connection;
  const pools = openPools(connections, config, log);
  const standbyReads = openStandbyReads(config, pools, log);
  const watch = startLoopWatch(processMetrics, log);
  const started: Closable[] = [database, pools, watch];
  if (standbyReads) started.push(standbyReads);
  let httpUrl = reachableUrl(config.host, config.httpPort);
  let runnerPort = config.runnerPort;
  const apiServices = createServices(config, {
    knex: pools.apiWrites,
    readKnex: pools.apiReads,
    standbyReads,
    log,
    publicUrl: () => config.publicUrl ?? httpUrl,
    runnerPort: () => runnerPort,
  });
  const services: Services = { ...apiServices, knex: pools.jobs };
  const ofFleet: Services = { ...apiServices, knex: pools.fleet };
  const lifecycle: Lifecycle = { state: { status: "starting", reason: "connecting to the database" } };
  const live = new LiveHubs(apiServices, { registry: processMetrics });
  const fleetServices = createFleetServices(ofFleet, {
    version: VERSION,
    registry: processMetrics,
    onStored: live.noteStored,
  });
  const deliveryTools = createDeliveryTools(services, { onDelivered: recordNotified });
  const app = await createServer(apiServices, { lifecycle, controlAccess, answerUnknownPage });
  await registerRoutes(app, apiServices, { fleetServices, deliveryTools, live });
  started.push(app);
  try {
    await app.ready();
    // Made on the first request, it would hold the event loop while others wait for their answers.
    app.apiDescription();
    await app.listen({ host: config.host, port: config.httpPort });
  } catch (error) {
    await closeInReverse(started, log);
    throw error;
  }
  // The system chose the port when the settings name port 0.
  httpUrl = reachableUrl(config.host, (app.server.address() as AddressInfo).port);

  const stopping = new AbortController();
  const ready = start();
  ready.catch(() => undefined);
  let closing: Promise<void> | undefined;
  return {
    httpUrl,
    ready,
    close: () => {
      closing ??= close();
      return closing;
    },
  };

  async function start(): Promise<Ready> {
    const firstBoot = await prepareDatabase(services, {
      connection: database.connection,
      pools: [pools.fleet, pools.apiWrites, pools.apiReads],
      lifecycle,
      exampleUrl: healthUrl(services, httpUrl),
      signal: stopping.signal,
    });
    if (standbyReads && engineOf(services.knex) === "citus")
      throw new ConfigError("DATABASE_READ_URL can't be set with Citus, whose standbys are not read from");
    await standbyReads?.start();
    if (config.databaseUrl)
      started.push(
        watchServers({ servers: database.connection, knex: pools.jobs, log, registry: processMetrics }),
      );
    for (const startPart of backgroundParts(services, { fleetServices, deliveryTools }))
      started.push(startPart());
    const fleet = await startFleet(ofFleet, fleetServices);
    runnerPort = Number(new URL(fleet.url).port);
    started.push(fleet);
    if (!stopping.signal.aborted) {
      lifecycle.state = { status: "ready" };
      if (config.heartbeatUrl) started.push(beginHeartbeat(config.heartbeatUrl));
    }
    if (config.embeddedRunner && !stopping.signal.aborted)
      started.push(await startEmbeddedRunner(services, fleet.url));
    return { runnerUrl: fleet.url, firstBoot };
  }

  function beginHeartbeat(url: string): Closable {
    const { knex, clock } = services;
    const faults = new FaultFinder({
      knex,
      readiness: new Readiness(lifecycle, knex),
      nowMs: () => clock.nowMs(),
    });
    return startHeartbeat({ url, findFault: () => faults.find(), log, registry: processMetrics });
  }

  async function close(): Promise<void> {
    lifecycle.state = { status: "stopping", reason: "the process was asked to end" };
    stopping.abort();
    // First of all, so that browsers go on at another replica at once.
    await live.close();
    await ready.catch(() => undefined);
    await closeInReverse(started, log);
  }
}

/** Returns the starts of what works in the background of every replica, in the order in which they are called. */
function backgroundParts(
  services: Services,
  { fleetServices, deliveryTools }: { fleetServices: FleetServices; deliveryTools: DeliveryTools },
): (() => Closable)[] {
  return [
    () => startNotificationWorker({ tools: deliveryTools, log: services.log }),
    () => startNotificationJobs(services),
    () => startIncidentWorker(services),
    () => startIncidentJobs(services),
    () => startIncidentPolicyJob(services),
    () => startLocationHealthJob(services),
    () => startScalingJob(services, processMetrics),
    () => startSealingJob(services),
    () => startTestRunJob(services),
    () => startDeployPlanJob(services),
    () => startApiKeyJob(services, createPlainMail(services)),
    () => startFirstRunJob(services),
    () => startMissedDispatchJob(services),
    () => startPushJob({ services, ingester: fleetServices.ingester }),
    () => startMaintenanceJob(services),
    () => startStatusExportJobs(services),
    () => startStatusDeliveries(services),
    () => startSubscriptionJob(services),
    () => startReportJob(services),
    () => startSloJobs(services),
    () => startPolicyJobs(services),
    () => startTelemetry(services, createExportTools(services, telemetryEgress(services))),
    () => startArtifactJobs(services),
    () => startResultJobs(services, processMetrics),
    () => startAlertJobs(services, fleetServices.evaluator),
    () => warnOfOpenNetwork(services),
  ];
}

/** Returns the reads of reports from standbys; undefined when the settings name none. */
function openStandbyReads(config: Config, pools: Pools, log: Logger): StandbyReads | undefined {
  if (!config.databaseReadUrl) return undefined;
  return new StandbyReads({
    primary: pools.jobs,
    url: config.databaseReadUrl,
    poolMax: poolSizes(config)?.apiReads ?? config.databasePoolMax,
    timeoutMs: config.apiReadTimeoutMs,
    log,
    registry: processMetrics,
  });
}

/** Closes the parts, the newest first. One that fails is logged and holds up no other. */
async function closeInReverse(started: readonly Closable[], log: Logger): Promise<void> {
  for (const part of started.toReversed())
    await part.close().catch((error: unknown) => log.error({ err: error }, "a part did not end cleanly"));
}

/**
 * Returns the URL that the example check watches: by loopback when the runner sits beside us and may go there, else the public one.
 * Undefined where that is loopback, too: runners on other machines would find themselves there.
 */
function healthUrl({ config, publicUrl }: Services, httpUrl: string): string | undefined {
  const isBeside = config.embeddedRunner && config.egressPrivate === "allow";
  if (isBeside) return `${httpUrl}/healthz`;
  return isLoopbackHost(new URL(publicUrl()).hostname) ? undefined : `${publicUrl()}/healthz`;
}
