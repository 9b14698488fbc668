import type { Knex } from "knex";
import { capExceeded } from "../../accounts/caps/assert-within-caps.ts";
import { lockUsage } from "../../accounts/caps/usage-store.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { countRulesOfCheck } from "./store.ts";

/**
 * Passes unless a check has more alert rules than its cap. Ingest judges all rules of a check in the transaction that
 * stores its results, so their number decides how long others' results wait. Call it after the rules are written, as
 * one of the last steps of the transaction: other writers of the team wait from here on.
 * @throws DomainError `limit_exceeded`
 */
export async function assertRulesOfCheckWithinCap(
  { services, teamId }: TeamContext,
  trx: Knex,
  checkKey: number,
): Promise<void> {
  const { alertRulesPerCheck } = services.config.caps;
  await lockUsage(trx, teamId);
  if ((await countRulesOfCheck(trx, checkKey)) > alertRulesPerCheck)
    throw capExceeded("alertRulesPerCheck", alertRulesPerCheck);
}
