/** How a layer above the change log learns of each change; handed in by the composition root. */
import type { ChangeAction, ChangeSource, ChangeType, TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** A change of a configuration record, as the change log has it. */
export interface ObservedChange {
  teamId: TeamId;
  action: ChangeAction;
  type: ChangeType;
  resourceId: string;
  name: string | null;
  source: ChangeSource;
  /** Id of the user or of the API key; null: the service itself or its operator. */
  actor: string | null;
  /** Unix ms. */
  atMs: number;
}

/** Is called in the transaction of each change, after its entry was written. What it throws undoes the change. */
export type ChangeObserver = (trx: Knex, change: ObservedChange) => Promise<void>;
