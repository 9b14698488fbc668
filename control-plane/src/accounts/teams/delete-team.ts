/**
 * Deletes a team. The request ends all access and all runs: credentials are refused and agents stop from its commit on. The
 * team's records are removed afterwards, in slices, by the job in `results/retention/delete-teams.ts`.
 */
import { invalidField, notFound } from "@svc/contract";
import type { Knex } from "knex";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { deleteCredentials, deletePeople, insertTeamDeletion, lockTeamName } from "./deletion-store.ts";

/** Credentials of higher layers that end with a team; handed in by the composition root. */
export interface TeamDependents {
  /** Deletes them, in the transaction of the team's deletion. */
  end(trx: Knex, teamId: TeamContext["teamId"]): Promise<void>;
}

/** A deletion of a team. */
export interface DeleteTeamInput {
  /** The team's name as somebody typed it, so that nobody deletes the wrong team. */
  name: string;
  dependents: readonly TeamDependents[];
}

/**
 * Deletes the team with its people's sessions, its keys and the accounts of people who are in no other team.
 * @throws DomainError `invalid` when the name is not the team's; `not_found`, also the second time
 */
export async function deleteTeam(ctx: TeamContext, { name, dependents }: DeleteTeamInput): Promise<void> {
  const { services, teamId, author } = ctx;
  await services.knex.transaction(async (trx) => {
    const stored = await lockTeamName(trx, teamId);
    if (stored === undefined) throw notFound("Team");
    if (name !== stored) throw invalidField("name", "is not the name of this team");
    // Before the accounts go: the entry names its author.
    await recordAudit(
      { services, teamId: null, author },
      { action: "team.deleted", resourceId: teamId, resourceName: stored },
      trx,
    );
    await insertTeamDeletion(trx, teamId);
    await deleteCredentials(trx, teamId);
    for (const dependent of dependents) await dependent.end(trx, teamId);
    await deletePeople(trx, teamId);
    await wakeFleets(trx, "checks");
  });
}
