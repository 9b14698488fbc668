/**
 * Holds the caps of a team in the transaction that writes. The database adds up what a team stores as rows come and go
 * (`team_usage`, by triggers), so no verb has to count, and a count costs equally little however much there is. Nothing
 * is locked until a transaction is about to end: the transactions of a team that add something then pass one by one, so
 * that two at once can't exceed a cap together.
 */
import { DomainError, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { TEAM_CAPS, type TeamCap, type TeamCapName, type TeamCaps } from "../../platform/team-caps.ts";
import { foldUsage, hasAddedUsage, lockUsage, readUsage, type Usage } from "./usage-store.ts";

/** Rows of `team_usage` of one kind beyond which they are added up into one. */
const USAGE_ROWS_MAX = 200;

/** The team whose use is compared with the caps of the settings. */
export interface CapsInput {
  services: Pick<Services, "config">;
  teamId: TeamId;
}

/**
 * Refuses a transaction that added records or bytes of a kind when the team then has more than its cap. Call it as
 * the last step of a transaction, since other writers of the team wait from here on.
 * @throws DomainError `limit_exceeded` naming the cap, its value and the operator's setting
 */
export async function assertWithinCaps(trx: Knex, { services, teamId }: CapsInput): Promise<void> {
  if (!(await hasAddedUsage(trx, teamId))) return;
  await lockUsage(trx, teamId);
  const usages = await readUsage(trx, teamId);
  const exceeded = findExceeded(services.config.caps, usages);
  if (exceeded) throw capExceeded(exceeded, services.config.caps[exceeded]);
  for (const { kind, rows } of usages) if (rows > USAGE_ROWS_MAX) await foldUsage(trx, teamId, kind);
}

/** Returns the error about a cap that is reached. */
export function capExceeded(name: TeamCapName, max: number): DomainError {
  const { of, variable } = TEAM_CAPS[name];
  return new DomainError(
    "limit_exceeded",
    `A team stores at most ${max} ${of}; delete some, or ask the operator to raise ${variable}`,
  );
}

/** Returns a cap that the transaction's additions exceed; undefined when there is none. Pure. */
function findExceeded(caps: TeamCaps, usages: readonly Usage[]): TeamCapName | undefined {
  return (Object.keys(TEAM_CAPS) as TeamCapName[]).find((name) => {
    const cap: TeamCap = TEAM_CAPS[name];
    const usage = usages.find(({ kind }) => kind === cap.kind);
    if (!usage) return false;
    const [total, added] =
      cap.unit === "bytes" ? [usage.byteCount, usage.addedBytes] : [usage.recordCount, usage.addedRecords];
    return added > 0 && total > caps[name];
  });
}
