/** What the parts of the control plane share; made in main.ts, given to every route and job. */
import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { keepSecret } from "./db/data-folder.ts";
import { createSecretBox, type SecretBox } from "./db/secret-box.ts";

export interface Services {
  config: Config;
  clock: Clock;
  log: Logger;
  knex: Knex;
  secrets: SecretBox;
  /** This process among the replicas: random per start. */
  replicaId: string;
}

/**
 * What seals and opens secrets. Without SVC_SECRET_KEY the key is read from the data folder, or made there (0600): that is
 * allowed only beside the embedded database, which lies in the same folder.
 */
export function secretBoxOf(config: Config): SecretBox {
  const secretKey = config.SVC_SECRET_KEY ?? keepSecret(config.SVC_DATA_DIR, "secret-key");
  const previousKeys = config.SVC_SECRET_KEY_PREVIOUS ? [config.SVC_SECRET_KEY_PREVIOUS] : [];
  return createSecretBox(secretKey, previousKeys);
}

/** The services of a process. */
export function createServices(config: Config, knex: Knex, log: Logger): Services {
  return {
    config: { ...config },
    clock: systemClock,
    log,
    knex,
    secrets: secretBoxOf(config),
    replicaId: randomUUID(),
  };
}
