/**
 * Knows at which times no replica was there for reports, however short, and expects the reports of those times anew. Each replica
 * attends by a shared advisory lock, which its end gives up, and notes every few seconds that it is there. One that gets the lock
 * alone is the first since the time that was noted last; and where all stood still or their database was away, that time is long
 * ago. Nobody judges reports between such a time and the moment at which what is expected is corrected.
 */
import { SECOND_MS } from "@svc/contract";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { JobLocks } from "../../platform/db/job-locks.ts";
import { retainedFrom } from "../retention/retain.ts";
import type { PushParts } from "./deliver-outcomes.ts";
import { judgeOverdue } from "./judge-report.ts";
import {
  lockAttendedUntil,
  lockChecksExpectedWithin,
  saveAttendedUntil,
  updateExpectation,
} from "./store.ts";

/** Interval at which each replica notes that it is there. */
export const ATTENDANCE_INTERVAL_MS = 2 * SECOND_MS;
/** Shortest time without a note after which all replicas count as having been away though none has ended. */
const ABSENCE_MS_MIN = 5 * ATTENDANCE_INTERVAL_MS;
/** Checks whose expectation is corrected at once. */
const CHECKS_MAX = 100;

/** The attendance of one replica. */
export class Attendance {
  readonly #services: PushParts["services"];
  readonly #locks: JobLocks;
  #turn: Promise<unknown> = Promise.resolve();
  /** True once this replica has noted that it is there: it has been since, also where its lock was lost for a moment. */
  #hasNoted = false;

  constructor({ services }: Pick<PushParts, "services">) {
    this.#services = services;
    this.#locks = JobLocks.of(services.knex);
  }

  /**
   * Notes that this replica is there, and expects anew what was to come while none was. Call it before reports are judged; calls
   * at once follow each other.
   * @returns the instant up to which reports may be judged, Unix ms; undefined while another replica corrects what is expected
   */
  note(): Promise<number | undefined> {
    const noted = this.#turn.then(() => this.#note());
    this.#turn = noted.catch(() => undefined);
    return noted;
  }

  /** Ends the attendance of this replica. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#locks.leave(ADVISORY_LOCKS.pushAttendance);
    await this.#locks.release();
  }

  async #note(): Promise<number | undefined> {
    let notedMs: number | undefined;
    const attends = await this.#locks.attend(ADVISORY_LOCKS.pushAttendance, async () => {
      notedMs = await this.#noteTime(this.#hasNoted ? ABSENCE_MS_MIN : 0);
    });
    if (!attends) return undefined;
    notedMs ??= await this.#noteTime(ABSENCE_MS_MIN);
    this.#hasNoted = true;
    return notedMs;
  }

  /** Notes the present instant, which it returns, and expects anew what was to come since the last note when that is older. */
  #noteTime(absenceMsMin: number): Promise<number> {
    const { knex, clock, config } = this.#services;
    return knex.transaction(async (trx) => {
      const fromMs = await lockAttendedUntil(trx, clock.nowMs());
      const nowMs = clock.nowMs();
      const retainedFromMs = retainedFrom(nowMs, config.retentionDays);
      let afterKey = 0;
      for (let left = nowMs - fromMs > absenceMsMin; left; ) {
        const range = { fromMs, toMs: nowMs, afterKey, rowsMax: CHECKS_MAX };
        const rows = await lockChecksExpectedWithin(trx, range);
        for (const row of rows) {
          afterKey = row.checkKey;
          const { patch, outcome } = judgeOverdue(row, { nowMs, outageEndMs: nowMs, retainedFromMs });
          // A check that is overdue nevertheless is left to the job that stores such failures.
          if (!outcome) await updateExpectation(trx, row.checkKey, patch);
        }
        left = rows.length === CHECKS_MAX;
      }
      // Replicas took reports while this went on, however long that was.
      const savedMs = Math.max(nowMs, clock.nowMs());
      if (savedMs > fromMs) await saveAttendedUntil(trx, savedMs);
      return nowMs;
    });
  }
}
