/** What changes and ends with a check in higher layers, which this one knows nothing of; the composition root hands it in. */
import type { Knex } from "knex";
import type { ChangeEntry } from "../accounts/change-log/change-record.ts";
import type { TeamContext } from "../platform/team-context.ts";
import type { CheckModel } from "./row.ts";

/** Records of a higher layer that hang on a check. */
export interface CheckDependents {
  /** Takes locks that have to come before the check's row is locked, when the check is about to be changed. */
  prepare?(ctx: TeamContext, trx: Knex): Promise<void>;
  /**
   * Makes sure that the records can stay as they are while the check gets a new configuration; its row is locked.
   * @throws DomainError `invalid`, naming a record that can't
   */
  assertAllow?(trx: Knex, check: CheckModel, config: Record<string, unknown>): Promise<void>;
  /** Brings records in line that follow the labels and the configuration of the check, which has just got others; its row is locked. */
  follow?(ctx: TeamContext, trx: Knex, check: CheckModel): Promise<void>;
  /** Ends what is open, such as alerts, before the check's row is locked. */
  end?(ctx: TeamContext, trx: Knex, checkKey: number): Promise<void>;
  /** Returns the change-log entries of records that are deleted with the check's row, which is locked. */
  entriesOfDeleted?(ctx: TeamContext, trx: Knex, check: CheckModel): Promise<readonly ChangeEntry[]>;
  /** Copies the events that outlive the check's row, which is locked; its row of deleted checks is there already. */
  keepEvents?(trx: Knex, checkKey: number): Promise<void>;
}
