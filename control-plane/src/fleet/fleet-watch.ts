/**
 * Keeps a replica's FleetState current: a poll from the last snapshot horizon, woken by notifications and by a timer.
 * Polling by transaction id under the horizon misses nothing, however late a transaction commits. While the database is
 * away the memory stays as it was, and the streams with it.
 */
import type { Knex } from "knex";
import type { Logger } from "pino";
import { FLEET_CHANNEL, listenForWakeUps } from "../platform/db/wake-ups.ts";
import type { FleetState, Pair } from "./fleet-state.ts";
import {
  type CheckRow,
  type GivenBackRow,
  type ManualRunRow,
  type RunnerRow,
  readChangedChecks,
  readChecksPage,
  readDeletedChecks,
  readGivenBack,
  readHorizon,
  readLocations,
  readManualRuns,
  readRunners,
} from "./fleet-store.ts";
import { GRACE_MS, POLL_INTERVAL_MS, RECOVERY_HOLD_MS } from "./timing.ts";

const PAGE_SIZE = 20_000;
/** Names of locations change rarely; unknown ones are looked up at once. */
const LOCATIONS_INTERVAL_MS = 10_000;

/** What one poll found. */
export interface FleetChange {
  /** Pairs whose check or owner changed. */
  touched: Pair[];
  /** Orders for one slot, possibly seen before. */
  manualRuns: ManualRunRow[];
  givenBack: GivenBackRow[];
  runnerRows: RunnerRow[];
}

export interface FleetWatchOptions {
  knex: Knex;
  log: Logger;
  state: FleetState;
  nowMs: () => number;
  /** Called before each poll, e.g. to renew leases: what it writes the poll sees. */
  beforePoll: () => Promise<void>;
  /** Called after each poll that succeeded, in order. */
  onChange: (change: FleetChange) => Promise<void> | void;
  pollIntervalMs?: number;
  recoveryHoldMs?: number;
}

export class FleetWatch {
  readonly #options: FleetWatchOptions;
  readonly #abort = new AbortController();
  #horizon: string | undefined;
  #locationsReadAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #holdExpiryUntilMs = 0;
  #lastAliveKeys = new Set<number>();

  constructor(options: FleetWatchOptions) {
    this.#options = options;
  }

  /** Starts listening and polling; the first poll need not succeed. */
  start(): void {
    const { knex, log } = this.#options;
    const wake = () => void this.refresh().catch(() => undefined);
    void listenForWakeUps({
      knex,
      log,
      channel: FLEET_CHANNEL,
      onWakeUp: wake,
      signal: this.#abort.signal,
    });
    this.#timer = setInterval(wake, this.#options.pollIntervalMs ?? POLL_INTERVAL_MS);
    wake();
  }

  /**
   * Resolves after a poll that began after this call, so that whatever was committed before is known. Callers at the
   * same time share one. Rejects when the database is away.
   */
  refresh(options: { readLocations?: boolean } = {}): Promise<void> {
    if (options.readLocations) this.#locationsReadAtMs = Number.NEGATIVE_INFINITY;
    if (!this.#running) {
      this.#running = this.#poll().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  /** Whether the fleet has been read at least once. */
  get isLoaded(): boolean {
    return this.#horizon !== undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#abort.abort();
    await this.#running?.catch(() => undefined);
  }

  async #poll(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    try {
      await this.#options.beforePoll();
      await this.#options.onChange(await this.#read());
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed && !this.#abort.signal.aborted)
        this.#options.log.warn({ err: error }, "the fleet can't be read; going on with what is known");
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Reads everything before it applies anything: a read that fails half-way changes nothing and is repeated. */
  async #read(): Promise<FleetChange> {
    const { knex, state, nowMs } = this.#options;
    const since = this.#horizon;
    const horizon = await readHorizon(knex);
    await this.#readLocationsWhenDue();
    const checks = since === undefined ? await this.#readAllChecks() : await readChangedChecks(knex, since);
    if (state.hasUnknownLocation(checks)) await this.#readLocationsWhenDue(true);
    const deleted = since === undefined ? [] : await readDeletedChecks(knex, since);
    const runnerRows = await readRunners(knex);
    const manualRuns = await readManualRuns(knex, since ?? "0", nowMs() - GRACE_MS);
    const givenBack = await readGivenBack(knex, since ?? "0");
    const touched = [
      ...state.applyChecks(checks),
      ...state.removeChecks(deleted),
      ...state.applyRunners(runnerRows, this.#aliveRule(runnerRows)),
    ];
    this.#horizon = horizon;
    return { touched, manualRuns, givenBack, runnerRows };
  }

  /**
   * After a start or an outage, those who lived before it count as alive until they had time to connect or to renew their
   * lease: else the first one back would be given everything. Who said goodbye has no session.
   */
  #aliveRule(rows: readonly RunnerRow[]): (row: RunnerRow) => boolean {
    const nowMs = performance.now();
    const isFirst = this.#horizon === undefined;
    if (isFirst) this.#lastAliveKeys = new Set(rows.map((row) => row.key));
    if (isFirst || this.#hasFailed)
      this.#holdExpiryUntilMs = nowMs + (this.#options.recoveryHoldMs ?? RECOVERY_HOLD_MS);
    const held = nowMs < this.#holdExpiryUntilMs ? this.#lastAliveKeys : new Set<number>();
    const isAlive = (row: RunnerRow) => row.isAlive || (row.sessionId !== null && held.has(row.key));
    this.#lastAliveKeys = new Set(rows.filter(isAlive).map((row) => row.key));
    return isAlive;
  }

  async #readLocationsWhenDue(now = false): Promise<void> {
    const nowMs = performance.now();
    if (!now && nowMs - this.#locationsReadAtMs < LOCATIONS_INTERVAL_MS) return;
    this.#options.state.setLocations(await readLocations(this.#options.knex));
    this.#locationsReadAtMs = nowMs;
  }

  async #readAllChecks(): Promise<CheckRow[]> {
    const all: CheckRow[] = [];
    for (;;) {
      const page = await readChecksPage(this.#options.knex, all.at(-1)?.key ?? 0, PAGE_SIZE);
      all.push(...page);
      if (page.length < PAGE_SIZE) return all;
    }
  }
}
