import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { systemClock } from "../platform/clock.ts";
import { type Config, configuredPublicUrl } from "../platform/config.ts";
import { openSecretBox } from "../platform/db/open-secret-box.ts";
import type { Services } from "../platform/services.ts";
import { recordChangeEvents } from "../telemetry/derived-events/record-change-events.ts";

export interface ServicesParts {
  knex: Knex;
  log: Logger;
  /** Default: the public URL as far as the settings tell it. */
  publicUrl?: () => string;
}

/** Returns the services of a process: of the running service, or of an operator's command. */
export function createServices(
  config: Config,
  { knex, log, publicUrl = () => configuredPublicUrl(config) }: ServicesParts,
): Services {
  return {
    config,
    clock: systemClock,
    log,
    knex,
    secrets: openSecretBox(config),
    publicUrl,
    onChange: recordChangeEvents,
    replicaId: randomUUID(),
  };
}
