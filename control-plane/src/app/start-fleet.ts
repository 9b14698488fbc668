/** Starts the runners' listener and the watch over the fleet. */

import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionGuard } from "../gateway/connection-guard.ts";
import { CONNECTION_END_REASONS, CONNECTION_LIMITS } from "../gateway/connection-limits.ts";
import type { Fleet } from "../gateway/fleet.ts";
import { answerHealth, isHealthRequest } from "../gateway/grpc-health.ts";
import { listen } from "../gateway/listener.ts";
import { fleetMetrics } from "../gateway/metrics.ts";
import { ReadShares } from "../gateway/read-shares.ts";
import { createRpcHandler } from "../gateway/rpc-handler.ts";
import { RunnerGate } from "../gateway/runner-gate.ts";
import { RUNNER_MESSAGE_BOUNDS, runnerRoutes } from "../gateway/service.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { processMetrics } from "../platform/metrics/registry.ts";
import type { Services } from "../platform/services.ts";
import type { FleetServices } from "./fleet-services.ts";

/** The fleet's listener and watch while they run. */
export interface RunningFleet {
  /** Where agents connect. */
  url: string;
  /** Asks the agents to connect elsewhere, commits and acknowledges what has arrived, then ends every stream. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 3_000;

/**
 * Starts the fleet; the schema must be up to date. The database may go away at any time: agents stay connected, nothing is
 * acknowledged until it is back.
 * @throws the system's error when the address can't be bound
 */
export async function startFleet(
  services: Services,
  { state, fleet, ingester }: Pick<FleetServices, "state" | "fleet" | "ingester">,
): Promise<RunningFleet> {
  const { config } = services;
  const { connectionsEnded } = fleetMetrics(processMetrics);
  for (const reason of CONNECTION_END_REASONS) connectionsEnded.inc({ reason }, 0);
  const guard = new ConnectionGuard(
    { ...CONNECTION_LIMITS, connectionsMax: config.runnerConnectionsMax },
    undefined,
    (reason) => connectionsEnded.inc({ reason }),
  );
  const shares = new ReadShares();
  const handler = createRpcHandler({
    routes: runnerRoutes(services, state, fleet),
    bounds: RUNNER_MESSAGE_BOUNDS,
    gate: new RunnerGate(services),
    shareOf: ({ locationKey }) =>
      locationKey === null
        ? shares.of(undefined)
        : shares.of(state.location(locationKey)?.teamId ?? "unknown"),
    connections: guard,
    log: services.log,
  });
  let isClosing = false;
  const listener = await listen({
    host: config.runnerHost,
    port: config.runnerPort,
    tls: tlsFiles(config),
    handler: (request, response) => {
      if (!isHealthRequest(request)) return handler(request, response);
      guard.checkedHealth(request.stream.session);
      answerHealth(request, response, { isServing: !isClosing });
    },
    guard,
  });
  fleet.start();
  return {
    url: listener.url,
    close: async () => {
      isClosing = true;
      listener.refuse();
      fleet.drain("the control plane is shutting down");
      await ingester.close(CLOSE_TIMEOUT_MS);
      for (const session of fleet.sessions) session.end();
      await untilClosed(fleet);
      await listener.close();
      await fleet.close();
    },
  };
}

function tlsFiles(config: Config): { certFile: string; keyFile: string } | undefined {
  const { runnerTlsCertFile: certFile, runnerTlsKeyFile: keyFile } = config;
  return certFile && keyFile ? { certFile, keyFile } : undefined;
}

/** Waits until the streams that ended have written their last messages; those that nobody reads are cut afterwards. */
async function untilClosed(fleet: Fleet): Promise<void> {
  const deadlineMs = monotonicMs() + CLOSE_TIMEOUT_MS;
  while ([...fleet.sessions].length > 0 && monotonicMs() < deadlineMs) await sleep(10);
}
