/**
 * Keeps two changes apart of which each would miss the other: that of a policy, which looks for the checks that have its labels, and
 * that of a check, which looks for the policies whose labels it has. Changes of different checks don't wait for each other.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";

/** Waits until no check of the team is being changed, and lets none be until the transaction ends. */
export async function lockPoliciesOfTeam(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, hashtext(?))", [
    ADVISORY_LOCK_CLASSES.teamAlertPolicies,
    teamId,
  ]);
}

/** Waits until no policy of the team is being applied, and lets none be until the transaction ends. Call it before a check's row is locked. */
export async function sharePoliciesOfTeam(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock_shared(?, hashtext(?))", [
    ADVISORY_LOCK_CLASSES.teamAlertPolicies,
    teamId,
  ]);
}
