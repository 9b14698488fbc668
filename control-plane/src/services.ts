/** What the parts of the control plane share; made in main.ts, given to every route and job. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { SecretBox } from "./db/secret-box.ts";

export interface Services {
  config: Config;
  clock: Clock;
  log: Logger;
  knex: Knex;
  secrets: SecretBox;
  /** This process among the replicas: random per start. */
  replicaId: string;
}

/** Who makes a request: a team's API key, or a person signed in to the dashboard. */
export type Caller =
  | { kind: "api_key"; teamId: string; apiKeyId: string }
  | { kind: "session"; teamId: string; userId: string };
