/** The shape of an input source: one kind of input that conditions may ask for beside results. */
import type { Knex } from "knex";
import type { AlertCheck } from "./alert-check.ts";
import type { NewResult, StoredResult } from "./judged-result.ts";

/** A check whose conditions ask for an input. */
export interface CheckInNeed<Need> {
  check: AlertCheck;
  /** Combined need of all conditions of the check's rules. */
  need: Need;
  /** Results that are being judged. */
  newResults: readonly NewResult[];
  /** Returns the loaded results of one of the check's locations, newest first, the new ones included. */
  resultsAt(locationKey: number): readonly StoredResult[];
}

/**
 * One kind of input. `Need` says how much of it a condition asks for; `Lookup` is the function by which conditions then
 * read it. To add a source: a file beside this one and a line in sources.ts.
 */
export interface InputSource<Need, Lookup> {
  /** Returns the need that covers all of `needs`, of which there is at least one. */
  combine(needs: readonly Need[]): Need;
  /**
   * Reads the input of all these checks together, by a number of statements that does not depend on theirs: the
   * transaction holds locks.
   * @returns the lookup of each check, by check key
   */
  load(trx: Knex, checks: readonly CheckInNeed<Need>[], nowMs: number): Promise<Map<number, Lookup>>;
  /** Lookup of a check that asked for nothing. */
  none: Lookup;
}
