/**
 * Reads that may be some seconds old, from the servers that `DATABASE_READ_URL` names. Each second the primary and every
 * server are asked how far they are; reads go to the first server that is a copy of the primary and close behind it. Its
 * answers are never older than {@link OLDEST_ANSWER_MS}. A server that is another database is never read from.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type pg from "pg";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { monotonicMs } from "../clock.ts";
import { metricsOf } from "../metrics/metrics-of.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "./database-url.ts";
import { reasonOf } from "./errors.ts";
import { cutConnection, isUsable } from "./guard-connection.ts";
import { openConnection } from "./open-connection.ts";
import { openPool } from "./pool.ts";
import { askPosition, positionProblem, type ServerPosition } from "./server-position.ts";
import { StandbyLag } from "./standby-lag.ts";

/** Interval at which the servers are asked. */
const INTERVAL_MS = SECOND_MS;
/** Longest that a server may take to answer how far it is. */
const PATIENCE_MS = 2 * SECOND_MS;
/** How often a standby is asked in a turn, and the time between. */
const ASK_TIMES = 4;
const ASK_AGAIN_MS = 50;
/** Lag beyond which a server is not read from. */
const LAG_MAX_MS = 2 * SECOND_MS;
/** Time for which a measurement holds. */
const MEASURED_FOR_MS = 2.5 * SECOND_MS;
/** Oldest state of the database that an answer shows; a team's own change is read from the primary for so long. */
const OLDEST_ANSWER_MS = 5 * SECOND_MS;

/** The primary, and the servers to read from. */
export interface StandbyReadsOptions {
  /** A pool of the primary. */
  primary: Knex;
  /** `DATABASE_READ_URL`. */
  url: string;
  poolMax: number;
  /** Longest statement, ms. */
  timeoutMs: number;
  log: Logger;
  registry: Registry;
}

/** A server with what was measured of it last. */
interface Standby {
  name: string;
  url: string;
  client?: pg.Client | undefined;
  /** Undefined when the server can't be read from. */
  lagMs?: number | undefined;
  measuredAtMs: number;
  /** Why the server isn't read from; empty when it is. */
  reason: string;
}

/** `DATABASE_READ_URL` names a server that is no copy of the database; the message is the one line to print. */
class NoCopyError extends Error {}

/** Finds the standby to read from, and opens the pool of connections to it. */
export class StandbyReads {
  /** The pool of the standby in use. */
  readonly knex: Knex;
  readonly #options: StandbyReadsOptions;
  readonly #target: DatabaseUrl["target"];
  readonly #standbys: Standby[];
  readonly #lag = new StandbyLag();
  readonly #open = new Map<pg.Client, Standby>();
  readonly #ownUntilMs = new Map<TeamId, number>();
  readonly #metrics: ReturnType<typeof readMetrics>;
  readonly #abort = new AbortController();
  #timeline: number | null | undefined;
  #running: Promise<unknown> = Promise.resolve();

  /** Opens nothing yet. */
  constructor(options: StandbyReadsOptions) {
    const { servers, target } = parseDatabaseUrl(options.url, "reads");
    this.#options = options;
    this.#target = target;
    this.#standbys = servers.map(({ name, url }) => ({
      name,
      url,
      measuredAtMs: 0,
      reason: "not asked yet",
    }));
    this.knex = openPool(this, {
      poolMax: options.poolMax,
      log: options.log,
      statementTimeoutMs: options.timeoutMs,
      silenceMs: options.timeoutMs + SECOND_MS,
      isCurrent: (client) => this.#open.get(client) === this.#inUse(),
    });
    this.#metrics = readMetrics(options.registry, () => this.#inUse()?.lagMs);
  }

  /**
   * Asks the servers once, then again and again until `close`.
   * @throws NoCopyError when a server that answers is another database
   */
  async start(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => this.#measure(standby)));
    const strangers = this.#standbys.filter(({ reason }) => reason.startsWith("is another"));
    if (strangers.length > 0)
      throw new NoCopyError(
        `DATABASE_READ_URL: ${strangers.map(({ name, reason }) => `${name} ${reason}`).join("; ")}; it may name copies of DATABASE_URL's database only`,
      );
    this.#running = Promise.all(this.#standbys.map((standby) => this.#repeat(standby)));
  }

  /** True when the team's reads may go to the standby: one is close behind, and the team changed nothing a moment ago. */
  isUsableFor(teamId: TeamId): boolean {
    return this.#inUse() !== undefined && (this.#ownUntilMs.get(teamId) ?? 0) <= monotonicMs();
  }

  /** Has the team's reads go to the primary until its change is in every answer of a standby. */
  noteChange(teamId: TeamId): void {
    const nowMs = monotonicMs();
    this.#ownUntilMs.delete(teamId);
    this.#ownUntilMs.set(teamId, nowMs + OLDEST_ANSWER_MS);
    for (const [oldest, untilMs] of this.#ownUntilMs) {
      if (untilMs > nowMs) break;
      this.#ownUntilMs.delete(oldest);
    }
  }

  /** Counts a read by the server that answered it. */
  countRead(server: "primary" | "standby"): void {
    this.#metrics.reads.inc({ server });
  }

  /** Opens a connection to the standby in use; for the pool. */
  async connect(settings: pg.ClientConfig): Promise<pg.Client> {
    const standby = this.#inUse();
    if (!standby) throw new Error("Connection terminated: no standby can be read from");
    const client = await openConnection({ connectionString: standby.url }, settings, PATIENCE_MS);
    this.#open.set(client, standby);
    client.once("end", () => this.#open.delete(client));
    return client;
  }

  /** Ends the measuring and all connections. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    for (const { client } of this.#standbys) void client?.end().catch(() => undefined);
    await this.knex.destroy();
  }

  #inUse(): Standby | undefined {
    const sinceMs = monotonicMs() - MEASURED_FOR_MS;
    return this.#standbys.find(({ reason, measuredAtMs }) => reason === "" && measuredAtMs >= sinceMs);
  }

  async #repeat(standby: Standby): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#measure(standby);
    }
  }

  async #measure(standby: Standby): Promise<void> {
    let primary: ServerPosition;
    try {
      const askedAtMs = monotonicMs();
      primary = await this.#askPrimary();
      if (this.#timeline !== primary.timeline) this.#lag.clear();
      this.#timeline = primary.timeline;
      this.#lag.note(askedAtMs, primary.position);
    } catch (error) {
      return this.#judge(standby, `can't be compared with the primary: ${reasonOf(error)}`);
    }
    try {
      const position = await this.#askStandby(standby);
      const nowMs = monotonicMs();
      const problem = positionProblem(position, primary, this.#target);
      const lagMs = problem ? undefined : this.#lag.lagMs(position.position, nowMs);
      standby.measuredAtMs = nowMs;
      standby.lagMs = lagMs;
      const isLate = lagMs === undefined || lagMs > LAG_MAX_MS;
      this.#judge(standby, problem ?? (isLate ? `is more than ${LAG_MAX_MS} ms behind` : ""));
    } catch (error) {
      void standby.client?.end().catch(() => undefined);
      standby.client = undefined;
      this.#refuse(standby, reasonOf(error));
    }
  }

  async #askPrimary(): Promise<ServerPosition> {
    const asking = this.#options.primary.client.acquireConnection() as Promise<pg.Client>;
    const client = await asking;
    try {
      return await askPosition(client, PATIENCE_MS);
    } finally {
      await this.#options.primary.client.releaseConnection(client);
    }
  }

  /** Asks a standby, a few times while it lacks what the primary said just now: so the lag is known to a fraction of a second. */
  async #askStandby(standby: Standby): Promise<ServerPosition> {
    if (!standby.client || !isUsable(standby.client))
      standby.client = await openConnection({ connectionString: standby.url }, {}, PATIENCE_MS);
    for (let asked = 1; ; asked++) {
      const position = await askPosition(standby.client, PATIENCE_MS);
      if (asked >= ASK_TIMES || this.#lag.hasAll(position.position)) return position;
      await sleep(ASK_AGAIN_MS);
    }
  }

  /** Has nothing read from a server, reads under way included. */
  #refuse(standby: Standby, reason: string): void {
    standby.lagMs = undefined;
    this.#judge(standby, reason);
    for (const [client, of] of this.#open) if (of === standby) cutConnection(client, reason);
  }

  /** Notes whether a server can be read from, and logs a change. */
  #judge(standby: Standby, reason: string): void {
    if (standby.reason === reason) return;
    standby.reason = reason;
    const { log } = this.#options;
    if (reason === "") log.info({ standby: standby.name }, "reports are read from the standby");
    else log.warn({ standby: standby.name, reason }, "reports are not read from the standby");
  }
}

function readMetrics(registry: Registry, lagMs: () => number | undefined) {
  const metrics = metricsOf(registry);
  metrics.gauge(
    "svc_database_standby_lag_ms",
    "Lag of the standby that reports are read from; NaN: none is",
    {
      collect: (gauge) => gauge.set(lagMs() ?? Number.NaN),
    },
  );
  return {
    reads: metrics.counter(
      "svc_database_report_reads_total",
      "Reads of reports, by the server that answered",
      {
        labelNames: ["server"],
      },
    ),
  };
}
