/**
 * Keeps a replica's FleetState current by polls from the last snapshot horizon, which wake-ups and a timer start. Polling
 * by transaction id from the horizon misses nothing, however late a transaction commits. While the database is away the
 * memory stays as it was, and so do the streams.
 */

import type { Logger } from "pino";
import type { CheckLocation } from "../platform/check-location.ts";
import { systemTiming, type Timing } from "../platform/timing.ts";
import { WakeableWorker } from "../platform/wakeable-worker.ts";
import type { FleetSource } from "./fleet-source.ts";
import type { FleetState } from "./fleet-state.ts";
import type { DispatchRow, GivenBackRow, RunnerRow } from "./fleet-store.ts";
import { GRACE_MS, POLL_INTERVAL_MS, RECOVERY_HOLD_MS } from "./timing.ts";

/** Checks read by one statement at the start, and applied without a pause. */
const PAGE_SIZE = 5_000;
/** Locations are read this often, as they change rarely; one that a check names and that is unknown is read at once. */
const LOCATIONS_INTERVAL_MS = 10_000;

/** The result of one poll. */
export interface FleetUpdate {
  /** The check locations whose check or owner changed. */
  touched: CheckLocation[];
  /** New dispatches; some may have been in the poll before. */
  dispatches: DispatchRow[];
  /** Slots that were given back; some may have been in the poll before. */
  givenBack: GivenBackRow[];
  /** Rows of all runners that are alive or were lost recently. */
  runnerRows: RunnerRow[];
}

/** The tables to read, the memory to keep current, and the callbacks around each poll. */
export interface FleetWatchParts {
  source: FleetSource;
  log: Logger;
  state: FleetState;
  nowMs: () => number;
  /** Called before each poll, which then sees what this wrote, such as renewed leases. */
  beforePoll: () => Promise<void>;
  /** Called after each poll that succeeded, in order. */
  onUpdate: (update: FleetUpdate) => Promise<void> | void;
  pollIntervalMs?: number | undefined;
  recoveryHoldMs?: number | undefined;
  /** Checks that one statement reads at the start. */
  pageSize?: number | undefined;
  /** Default: the process's own. */
  timing?: Timing | undefined;
}

/** Polls the database for changes of the fleet until it is closed. */
export class FleetWatch {
  readonly #parts: FleetWatchParts;
  readonly #polls: WakeableWorker;
  readonly #monotonicMs: () => number;
  #horizon: string | undefined;
  /** Snapshot horizon of the first attempt to load all checks. */
  #loadedSince: string | undefined;
  /** Check locations at locations that were retired or put in service again, until an update reports them. */
  readonly #turnedLocations: CheckLocation[] = [];
  #locationsReadAtMs = Number.NEGATIVE_INFINITY;
  #holdExpiryUntilMs = 0;
  #lastAliveKeys = new Set<number>();

  constructor(parts: FleetWatchParts) {
    const { source, log, pollIntervalMs = POLL_INTERVAL_MS, timing = systemTiming } = parts;
    this.#parts = parts;
    this.#monotonicMs = timing.monotonicMs;
    this.#polls = new WakeableWorker({
      log,
      failureMessage: "the fleet can't be read; its last known state stays in use",
      pollIntervalMs,
      timing,
      wakeUps: source.wakeUps,
      work: async () => {
        await this.#poll();
        return false;
      },
    });
  }

  /** Starts listening and polling. A first poll that fails is repeated. */
  start(): void {
    this.#polls.start();
  }

  /**
   * Resolves after a poll that began after this call, so that all that was committed before is known. Simultaneous callers
   * share one poll. Rejects when the database is away.
   */
  refresh(options: { readLocations?: boolean } = {}): Promise<void> {
    if (options.readLocations) this.#locationsReadAtMs = Number.NEGATIVE_INFINITY;
    return this.#polls.nextRound();
  }

  async close(): Promise<void> {
    await this.#polls.close();
  }

  async #poll(): Promise<void> {
    await this.#parts.beforePoll();
    await this.#parts.onUpdate(await this.#read());
  }

  /**
   * Reads everything before it applies anything, so that a read that fails half-way changes nothing and can be repeated. All
   * checks are read and applied page by page, since as rows they take ten times their memory; they may be read again, too.
   */
  async #read(): Promise<FleetUpdate> {
    const { source, state, nowMs } = this.#parts;
    const horizon = await source.readHorizon();
    await this.#readLocationsWhenDue();
    if (this.#horizon === undefined) await this.#loadAllChecks(horizon);
    const since = this.#horizon;
    const changedSince = since ?? this.#loadedSince ?? horizon;
    const checks = await source.readChangedChecks(changedSince);
    if (state.hasUnknownLocation(checks)) await this.#readLocations();
    const deleted = await source.readDeletedChecks(changedSince);
    const deletedTeams = await source.readDeletedTeams(changedSince);
    const runnerRows = await source.readRunners();
    const dispatches = await source.readDispatches(since ?? "0", nowMs() - GRACE_MS);
    const givenBack = await source.readGivenBack(since ?? "0");
    const touched = [
      ...this.#turnedLocations.splice(0),
      ...state.applyChecks(checks),
      ...state.removeChecks([...deleted, ...state.checkKeysOfTeams(deletedTeams)]),
      ...state.applyRunners(runnerRows, this.#aliveRule(runnerRows)),
    ];
    this.#horizon = horizon;
    return { touched, dispatches, givenBack, runnerRows };
  }

  /**
   * Returns the rule by which runners count as alive. After a start or an outage the runners that were alive before stay
   * alive until they had time to connect or to renew their lease; else the first one back would be assigned everything.
   * A runner that said goodbye has no session and is not held.
   */
  #aliveRule(rows: readonly RunnerRow[]): (row: RunnerRow) => boolean {
    const nowMs = this.#monotonicMs();
    const isFirst = this.#horizon === undefined;
    if (isFirst) this.#lastAliveKeys = new Set(rows.map((row) => row.key));
    if (isFirst || this.#polls.hasFailed)
      this.#holdExpiryUntilMs = nowMs + (this.#parts.recoveryHoldMs ?? RECOVERY_HOLD_MS);
    const held = nowMs < this.#holdExpiryUntilMs ? this.#lastAliveKeys : new Set<number>();
    const isAlive = (row: RunnerRow) => row.isAlive || (row.sessionId !== null && held.has(row.key));
    this.#lastAliveKeys = new Set(rows.filter(isAlive).map((row) => row.key));
    return isAlive;
  }

  async #readLocationsWhenDue(): Promise<void> {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#locationsReadAtMs < LOCATIONS_INTERVAL_MS) return;
    await this.#readLocations();
  }

  async #readLocations(): Promise<void> {
    const nowMs = this.#monotonicMs();
    const rows = await this.#parts.source.readLocations();
    for (const checkLocation of this.#parts.state.setLocations(rows))
      this.#turnedLocations.push(checkLocation);
    this.#locationsReadAtMs = nowMs;
  }

  /**
   * Loads all checks, once. What changes meanwhile, or between attempts, is found by the changes since the first attempt. The
   * runners come first, so that no list is made of all check locations when they get their first owner.
   * @param horizon snapshot horizon of this attempt
   */
  async #loadAllChecks(horizon: string): Promise<void> {
    const { source, state, pageSize = PAGE_SIZE } = this.#parts;
    this.#loadedSince ??= horizon;
    const runnerRows = await source.readRunners();
    state.applyRunners(runnerRows, this.#aliveRule(runnerRows));
    for (let afterKey = 0; ; ) {
      const page = await source.readChecksPage(afterKey, pageSize);
      if (state.hasUnknownLocation(page)) await this.#readLocations();
      state.applyChecks(page);
      if (page.length < pageSize) return;
      afterKey = page.at(-1)?.key ?? afterKey;
    }
  }
}
