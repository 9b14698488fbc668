import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { findAgentPackage } from "../platform/agent-package.ts";
import { systemClock, systemRandom } from "../platform/clock.ts";
import { type Config, configuredPublicUrl } from "../platform/config.ts";
import { openSecretBox } from "../platform/db/open-secret-box.ts";
import type { StandbyReads } from "../platform/db/standby-reads.ts";
import type { Services } from "../platform/services.ts";
import { recordAuditEvent } from "../telemetry/derived-events/record-audit-event.ts";
import { recordChangeEvents } from "../telemetry/derived-events/record-change-events.ts";

/** The parts of the services that are opened before them. */
export interface ServicesParts {
  knex: Knex;
  /** Connections of requests that only read; default: there are none apart. */
  readKnex?: Knex;
  /** Reads of reports from a standby; default: there is none. */
  standbyReads?: StandbyReads | undefined;
  log: Logger;
  /** Default: the public URL as far as the settings tell it. */
  publicUrl?: () => string;
  /** Default: the port that the settings name. */
  runnerPort?: () => number;
}

/** Returns the services of a process: of the running service, or of an operator's command. */
export function createServices(
  config: Config,
  {
    knex,
    readKnex,
    standbyReads,
    log,
    publicUrl = () => configuredPublicUrl(config),
    runnerPort = () => config.runnerPort,
  }: ServicesParts,
): Services {
  const services: Services = {
    config,
    clock: systemClock,
    random: systemRandom,
    log,
    knex,
    secrets: openSecretBox(config),
    publicUrl,
    runnerPort,
    onChange: recordChangeEvents,
    onAudit: recordAuditEvent,
    replicaId: randomUUID(),
  };
  const agentPackage = findAgentPackage();
  if (agentPackage) services.agentPackage = agentPackage;
  if (readKnex) services.reading = { ...services, knex: readKnex };
  if (standbyReads)
    services.standby = { reads: standbyReads, services: { ...services, knex: standbyReads.knex } };
  return services;
}
