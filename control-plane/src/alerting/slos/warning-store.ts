/** SQL of the burn-rate thresholds that SLOs are above, stored so that each crossing is warned of once. */
import type { Knex } from "knex";
import { type ActiveSlo, activeSlos } from "./store.ts";

/** An active SLO with the names of the paces whose thresholds it is above. */
export interface WatchedSlo extends ActiveSlo {
  burning: string[];
}

/** Returns the next active SLOs of all teams, in the order of their keys. */
export async function readWatchedSlos(db: Knex, afterKey: number, limit: number): Promise<WatchedSlo[]> {
  return activeSlos(db)
    .where("slos.key", ">", afterKey)
    .orderBy("slos.key")
    .limit(limit)
    .castTo<WatchedSlo[]>();
}

/** Stores which paces an SLO is above. Returns false when another replica stored a change since the SLO was read. */
export async function replaceBurning(
  trx: Knex,
  { key, burning: before }: WatchedSlo,
  after: readonly string[],
): Promise<boolean> {
  const changed = await trx("slos")
    .where({ key })
    .whereRaw("burning = ?::text[]", [[...before]])
    .update({ burning: [...after] });
  return changed === 1;
}

/** Forgets what disabled SLOs were above: a crossing is warned of anew once the SLO is enabled again. */
export async function clearBurningOfDisabled(db: Knex): Promise<void> {
  await db("slos").where({ enabled: false }).whereRaw("burning <> '{}'").update({ burning: [] });
}
