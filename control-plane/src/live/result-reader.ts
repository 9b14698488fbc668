/**
 * Keeps the state of a team's checks up to date with what other replicas store, by asking the database: for new failures and for
 * the next results of what does not work, and from time to time for everything.
 */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../platform/clock.ts";
import { readAwaited, readCheckStates, readNewFailures } from "./store.ts";
import type { LiveTiming } from "./timing.ts";
import type { WatchedChecks } from "./watched-checks.ts";

/** Checks that one statement reads. */
const CHECKS_AT_ONCE = 1_000;
/**
 * A look is followed by a pause of so many times its duration, or that of the look before it if that was shorter: a team's looks
 * take about a tenth of the time at most, and one look that was held up by something else delays no news.
 */
const PAUSE_FACTOR = 9;

/** The team, its checks, and how the reader learns that a check came or went. */
export interface ResultReaderOptions {
  db: Knex;
  teamId: TeamId;
  checks: WatchedChecks;
  timing: Pick<LiveTiming, "wholeIntervalMs">;
  /** Called with the key of each check that is known from now on, or no more. */
  onKnown: (checkKey: number, isKnown: boolean) => void;
}

/** Reads changed states of one team from the database and hands them to its watched checks; the caller says when. */
export class ResultReader {
  readonly #options: ResultReaderOptions;
  #wholeFromMs = Number.NEGATIVE_INFINITY;
  #newFromMs = Number.NEGATIVE_INFINITY;
  /** Duration of the last look, ms. */
  #durationMs = 0;
  /** Begin of the last look that found all failures up to then, on the monotonic clock. */
  #failuresUntilMs = 0;

  constructor(options: ResultReaderOptions) {
    this.#options = options;
  }

  /** Reads what is due. @param nowMs Unix ms */
  async look(nowMs: number): Promise<void> {
    const beganAtMs = monotonicMs();
    if (beganAtMs >= this.#wholeFromMs) {
      await this.#readAll(nowMs);
      this.#wholeFromMs = beganAtMs + this.#options.timing.wholeIntervalMs;
    } else if (beganAtMs >= this.#newFromMs) await this.#readNew(nowMs);
    else return;
    this.#failuresUntilMs = beganAtMs;
    const endedAtMs = monotonicMs();
    const durationMs = endedAtMs - beganAtMs;
    this.#newFromMs = endedAtMs + PAUSE_FACTOR * Math.min(durationMs, this.#durationMs);
    this.#durationMs = durationMs;
  }

  /** Lets the next look read everything. */
  readAllNext(): void {
    this.#wholeFromMs = Number.NEGATIVE_INFINITY;
  }

  /** Reads the checks with these ids, which are new or were changed. */
  async load(ids: readonly CheckId[], nowMs: number): Promise<void> {
    const { db, teamId } = this.#options;
    const part = { after: undefined, ids, limit: ids.length, nowMs };
    if (ids.length > 0) this.#accept(await readCheckStates(db, teamId, part));
  }

  /** Forgets the check with this id, which was deleted. */
  forget(id: CheckId): void {
    const { checks } = this.#options;
    const checkKey = checks.keyOf(id);
    if (checkKey !== undefined) this.#forget(checkKey);
  }

  async #readAll(nowMs: number): Promise<void> {
    const { db, teamId, checks } = this.#options;
    const before = new Set(checks.keys());
    let after: { createdAt: string; checkKey: number } | undefined;
    do {
      const rows = await readCheckStates(db, teamId, { after, limit: CHECKS_AT_ONCE, nowMs });
      this.#accept(rows);
      for (const { checkKey } of rows) before.delete(checkKey);
      const last = rows.at(-1);
      after = last && { createdAt: last.createdAt, checkKey: last.checkKey };
    } while (after);
    for (const checkKey of before) this.#forget(checkKey);
    checks.begin();
  }

  async #readNew(nowMs: number): Promise<void> {
    const { db, checks } = this.#options;
    const sinceMs = monotonicMs() - this.#failuresUntilMs;
    const failures = await readNewFailures(db, [...checks.keys()], { sinceMs, nowMs });
    for (const result of failures.sort((a, b) => a.slotMs - b.slotMs)) checks.apply(result);
    for (const result of await readAwaited(db, checks.awaited(), nowMs)) checks.apply(result);
  }

  #accept(rows: Awaited<ReturnType<typeof readCheckStates>>): void {
    const { checks, onKnown } = this.#options;
    checks.load(rows);
    for (const { checkKey } of rows) onKnown(checkKey, true);
  }

  #forget(checkKey: number): void {
    this.#options.checks.forget(checkKey);
    this.#options.onKnown(checkKey, false);
  }
}
