import type { AuditAction } from "@svc/contract";
import type { Knex } from "knex";
import { type NamedBindings, queryRows } from "../../platform/db/rows.ts";

/** Actions that callers cause without changing anything; too many of them must not push out the entries of others. */
const FREQUENT_ACTIONS: readonly AuditAction[] = [
  "session.started",
  "session.ended",
  "session.revoked",
  "session.team_changed",
  "sign_in.failed",
  "secrets.revealed",
  "api_key.used_from_new_address",
  "display_link.used_from_new_address",
];
/** Entries deleted by one statement. */
const ROWS_AT_ONCE = 5_000;

/** Limits of the audit log. */
export interface AuditLimits {
  /** Unix ms; older entries go. */
  fromMs: number;
  /** Newest entries of a team that are kept of frequent actions, and as many of all others. */
  entriesMax: number;
}

/** Removes entries that are too old, and the oldest ones of teams that have too many. Harmless to repeat. */
export async function forgetAuditEntries(knex: Knex, { fromMs, entriesMax }: AuditLimits): Promise<void> {
  await deleteInSteps(knex, "created_at < CAST(:from AS timestamptz)", { from: new Date(fromMs) });
  for (const isFrequent of [true, false]) await forgetBeyond(knex, { entriesMax, isFrequent });
}

async function forgetBeyond(
  knex: Knex,
  { entriesMax, isFrequent }: { entriesMax: number; isFrequent: boolean },
): Promise<void> {
  const ofKind = `action ${isFrequent ? "=" : "<>"} ${isFrequent ? "ANY" : "ALL"}(CAST(:actions AS text[]))`;
  const actions = [...FREQUENT_ACTIONS];
  const crowded = await queryRows<{ teamId: string | null }>(
    knex,
    `SELECT team_id FROM audit_entries WHERE ${ofKind} GROUP BY team_id HAVING count(*) > :entriesMax`,
    { actions, entriesMax },
  );
  for (const { teamId } of crowded) {
    const ofTeam = `team_id IS NOT DISTINCT FROM CAST(:teamId AS text) AND ${ofKind}`;
    const bindings = { teamId, actions, entriesMax };
    const [oldest] = await queryRows<{ key: number }>(
      knex,
      `SELECT key FROM audit_entries WHERE ${ofTeam} ORDER BY key DESC LIMIT 1 OFFSET :entriesMax`,
      bindings,
    );
    if (oldest) await deleteInSteps(knex, `key <= :last AND ${ofTeam}`, { ...bindings, last: oldest.key });
  }
}

async function deleteInSteps(knex: Knex, condition: string, bindings: NamedBindings): Promise<void> {
  for (;;) {
    const deleted = await queryRows(
      knex,
      `DELETE FROM audit_entries WHERE key = ANY(ARRAY(
         SELECT key FROM audit_entries WHERE ${condition} ORDER BY key LIMIT ${ROWS_AT_ONCE})) RETURNING 1`,
      bindings,
    );
    if (deleted.length < ROWS_AT_ONCE) return;
  }
}
