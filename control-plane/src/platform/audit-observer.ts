/** How a layer above the audit log learns of each entry; handed in by the composition root. */
import type { AuditEntry, TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** An entry of a team's audit log. */
interface ObservedAuditEntry extends Omit<AuditEntry, "id" | "createdAt"> {
  teamId: TeamId;
  /** Unix ms. */
  atMs: number;
}

/** Is called in the transaction of each entry of a team, after it was written. What it throws undoes the transaction. */
export type AuditObserver = (trx: Knex, entry: ObservedAuditEntry) => Promise<void>;
