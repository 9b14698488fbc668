import { type CheckId, DomainError, notFound, type SloId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { findCheckRow } from "../../checks/store.ts";
import { lockChecks } from "../evaluation/locks.ts";
import type { SloRow } from "./row.ts";
import { findSloRow, lockSloRow } from "./store.ts";

/** The SLO to lock. Its check, and the check that the SLO moves to, are locked, too. */
export interface LockSloInput {
  teamId: TeamId;
  id: SloId;
  /** The check that the SLO is about to move to. */
  nextCheckId?: CheckId | undefined;
}

/**
 * Returns the SLO, and keeps its check (and the one it moves to), or the SLO itself where it has none, from being evaluated until the transaction ends.
 * @throws DomainError `not_found`, or `conflict` when the SLO moved to another check at this very moment
 */
export async function lockSlo(trx: Knex, { teamId, id, nextCheckId }: LockSloInput): Promise<SloRow> {
  const found = await findSloRow(trx, teamId, id);
  const next = nextCheckId === undefined ? undefined : await findCheckRow(trx, teamId, nextCheckId);
  const checkKeys = [found?.checkKey ?? found?.key, next?.key].filter((key) => typeof key === "number");
  await lockChecks(trx, checkKeys);
  const row = await lockSloRow(trx, teamId, id);
  if (!row) throw notFound("SLO");
  if (row.checkKey !== found?.checkKey)
    throw new DomainError("conflict", "The SLO was changed at the same time; try again");
  return row;
}
