/** Things that all parts of the control plane share; the composition root makes them once per process. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { ChangeObserver } from "./change-observer.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { SecretBox } from "./db/secret-box.ts";

export interface Services {
  config: Config;
  clock: Clock;
  log: Logger;
  knex: Knex;
  secrets: SecretBox;
  /**
   * Returns the base of links in what people receive, without a trailing slash. Ask when a link is made: unless the operator
   * set it, the URL follows from the port, which may be known only once HTTP listens.
   */
  publicUrl: () => string;
  /** Learns of each change in its transaction. */
  onChange: ChangeObserver;
  /** Name of this process among the replicas: random per start. */
  replicaId: string;
}
