/** Things that all parts of the control plane share; the composition root makes them once per process. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { AgentPackage } from "./agent-package.ts";
import type { AuditObserver } from "./audit-observer.ts";
import type { ChangeObserver } from "./change-observer.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { SecretBox } from "./db/secret-box.ts";
import type { StandbyReads } from "./db/standby-reads.ts";

/** A standby to read reports from, and these services with its connections. */
export interface StandbyServices {
  reads: StandbyReads;
  services: Services;
}

/** The settings, clock, log, database and secrets of this process. */
export interface Services {
  config: Config;
  clock: Clock;
  /** Returns a number from [0, 1), for jitter. */
  random: () => number;
  log: Logger;
  knex: Knex;
  /**
   * These services with the connections of requests that only read, whose statements have a shorter time limit; absent in
   * programs that have one pool.
   */
  reading?: Services;
  /** Reads of reports from a standby of the database; absent when there is none. */
  standby?: StandbyServices;
  secrets: SecretBox;
  /**
   * Returns the base of links in what people receive, without a trailing slash. Ask when a link is made: unless the operator
   * set it, the URL follows from the port, which may be known only once HTTP listens.
   */
  publicUrl: () => string;
  /** Returns the port at which runners connect. The system chooses it where the settings name port 0. */
  runnerPort: () => number;
  /** The npm package of the agent that this service offers; absent in a checkout where none was packed. */
  agentPackage?: AgentPackage;
  /** Learns of each change in its transaction. */
  onChange: ChangeObserver;
  /** Learns of each entry of the audit log in its transaction. */
  onAudit: AuditObserver;
  /** Name of this process among the replicas: random per start. */
  replicaId: string;
}
