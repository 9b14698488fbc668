/** The identity that an agent states when a session begins. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../base/config.ts";
import { AGENT_VERSION, PROTOCOL_VERSION } from "../base/version.ts";
import type { AgentIdentity } from "../session/messages.ts";

/** Returns the identity for all sessions of this process; makes its `processUuid`. */
export function agentIdentity(
  config: Config,
  {
    runnerUuid,
    secretsPublicKey,
    browserPages,
    limitsTestRuns,
  }: Pick<AgentIdentity, "runnerUuid" | "secretsPublicKey" | "browserPages" | "limitsTestRuns">,
  capabilities: readonly string[],
): AgentIdentity {
  return {
    protocolVersion: PROTOCOL_VERSION,
    runnerUuid,
    processUuid: randomUUID(),
    agentVersion: AGENT_VERSION,
    hostname: hostname(),
    capabilities: [...capabilities],
    capacityPerSecond: config.capacityPerSecond,
    locationIds: config.locationIds,
    secretsPublicKey,
    runsTests: true,
    limitsTestRuns,
    freshRuns: config.maxInFlight,
    browserPages,
  };
}
