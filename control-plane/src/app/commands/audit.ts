/** `svc-control-plane audit`: the audit log as the operator reads it. */
import { DomainError, notFound, subjectOf, type TeamId } from "@svc/contract";
import { listAuditRows } from "../../accounts/audit/store.ts";
import { hasTeam } from "../../accounts/teams/store.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

/** Flags of the command. `limit` is a number as text. */
export interface AuditOptions {
  /** Default: the entries that concern no one team. */
  team?: TeamId;
  limit: string;
}

/**
 * Returns the newest entries as a table.
 * @throws DomainError `invalid` for a limit that is no number; `not_found` for a team that is none
 */
export async function auditCommand({ team, limit }: AuditOptions): Promise<string> {
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new DomainError("invalid", `--limit is ${limit}; smallest is 1`);
  const part = { after: undefined, offset: 0, rowsMax: Number(limit) };
  const entries = await withServices(async ({ knex }) => {
    if (team !== undefined && !(await hasTeam(knex, team))) throw notFound(`Team ${team}`);
    return listAuditRows(knex, team ?? null, part);
  });
  return table(
    ["TIME", "ACTION", "WHO", "VIA", "FROM", "ABOUT"],
    entries.map((entry) => [
      entry.createdAt,
      entry.action,
      entry.actorName ?? entry.actor ?? entry.actorKind,
      entry.via,
      entry.address ?? "",
      subjectOf(entry),
    ]),
  );
}
