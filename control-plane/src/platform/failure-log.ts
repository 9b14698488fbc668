/**
 * Logs the failures of work that is repeated, so that neither an outage of hours fills the log nor a second cause stays unseen behind the
 * first: a series of failures is logged as it begins, at each new reason, once an hour while it lasts, and when it is over.
 */
import { firstCharacters, HOUR_MS } from "@svc/contract";
import type { Logger } from "pino";
import { type Clock, systemClock } from "./clock.ts";
import { systemTiming, type Timing } from "./timing.ts";

/** Time after which a series that lasts is logged again. */
const REPEAT_MS = HOUR_MS;
/** Reasons that are distinguished in that time. Further ones wait for the next line: work that fails otherwise each time is logged seldom, too. */
const REASONS_MAX = 10;
/** Characters of a reason that are compared. */
const REASON_LENGTH_MAX = 500;

/** Log and words of one piece of work. */
export interface FailureLogOptions {
  log: Logger;
  /** Log line of a failure, such as `mails can't be read; trying again`. */
  message: string;
  /** Fields of each line, such as the name of a job. */
  fields?: Readonly<Record<string, unknown>>;
  /** Default: the process's own. */
  timing?: Pick<Timing, "monotonicMs"> | undefined;
  /** Default: the process's own. */
  clock?: Clock | undefined;
}

interface Series {
  failures: number;
  /** ISO 8601. */
  since: string;
  /** Monotonic clock. */
  loggedAtMs: number;
  reasons: Set<string>;
}

/** The failures of one piece of work. A failure is a warning when it is worth a line, else a line of level debug. */
export class FailureLog {
  readonly #options: FailureLogOptions;
  readonly #timing: Pick<Timing, "monotonicMs">;
  #series: Series | undefined;

  constructor(options: FailureLogOptions) {
    this.#options = options;
    this.#timing = options.timing ?? systemTiming;
  }

  /** True when the work failed the last time that it was done. */
  get hasFailed(): boolean {
    return this.#series !== undefined;
  }

  /** Logs that the work failed. @param isClosing true: the work was cut off on purpose, which is no failure worth a warning */
  failed(error: unknown, isClosing: boolean): void {
    const nowMs = this.#timing.monotonicMs();
    const { log, message, fields, clock = systemClock } = this.#options;
    const isFirst = this.#series === undefined;
    const since = this.#series?.since ?? new Date(clock.nowMs()).toISOString();
    const series = this.#series ?? { failures: 0, since, loggedAtMs: nowMs, reasons: new Set() };
    this.#series = series;
    series.failures++;
    const isWarning = !isClosing && (isFirst || this.#isWorthLine(series, { error, nowMs }));
    if (isWarning) note(series, { error, nowMs });
    const { failures } = series;
    log[isWarning ? "warn" : "debug"](
      { err: error, ...fields, ...(!isFirst && { failures, since }) },
      message,
    );
  }

  /** Logs that the work is done again, when it had failed before. */
  worked(): void {
    const series = this.#series;
    if (!series) return;
    this.#series = undefined;
    const { log, message, fields } = this.#options;
    const { failures, since } = series;
    log.info({ ...fields, failures, since }, `works again after: ${message.replace(/; trying again$/, "")}`);
  }

  #isWorthLine(series: Series, { error, nowMs }: FailureAt): boolean {
    if (nowMs - series.loggedAtMs >= REPEAT_MS) return true;
    return !series.reasons.has(reasonOf(error)) && series.reasons.size < REASONS_MAX;
  }
}

interface FailureAt {
  error: unknown;
  /** Monotonic clock. */
  nowMs: number;
}

/** Notes that a failure is logged. A line after an hour begins the count of reasons anew. */
function note(series: Series, { error, nowMs }: FailureAt): void {
  if (nowMs - series.loggedAtMs >= REPEAT_MS) series.reasons.clear();
  series.reasons.add(reasonOf(error));
  series.loggedAtMs = nowMs;
}

/** Returns the reason of an error: its kind and its words, without those that have digits, such as ids, ports and instants. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return firstCharacters(String(error), REASON_LENGTH_MAX);
  const { code } = error as { code?: unknown };
  const words = firstCharacters(error.message, REASON_LENGTH_MAX).replace(
    /[\p{L}\p{N}_]*\p{N}[\p{L}\p{N}_]*/gu,
    "#",
  );
  return `${error.name} ${String(code)} ${words}`;
}
