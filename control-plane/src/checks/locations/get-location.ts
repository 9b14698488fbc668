import { DomainError, type Location, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { looksLikeLocationId } from "./ids.ts";
import { type LocationModel, locationFromRow } from "./row.ts";
import { findLocationRow, listLocationRows, lockLocationRow, readLocationLives } from "./store.ts";

/** The hosted locations and the team's own. @param options.includeDeprecated also what no new check should use */
export async function listLocations(
  { knex, clock }: Services,
  teamId: TeamId,
  options: { includeDeprecated: boolean },
): Promise<Location[]> {
  const rows = await listLocationRows(knex, teamId);
  const lives = await readLocationLives(knex, teamId, clock.nowMs());
  return rows
    .filter((row) => options.includeDeprecated || row.status === "active")
    .map((row) => locationFromRow(row, lives.get(row.key)));
}

/** One location as the API answers it. */
export async function describeLocation(
  { knex, clock }: Services,
  teamId: TeamId,
  row: LocationModel,
): Promise<Location> {
  const lives = await readLocationLives(knex, teamId, clock.nowMs());
  return locationFromRow(row, lives.get(row.key));
}

/**
 * The team's private location.
 * @throws DomainError not_found (unknown, or another team's), forbidden (a hosted one)
 */
export async function getPrivateLocation(db: Knex, teamId: TeamId, id: string): Promise<LocationModel> {
  return assertPrivate(looksLikeLocationId(id) ? await findLocationRow(db, teamId, id) : undefined);
}

/** The same, locked until the transaction ends. */
export async function lockPrivateLocation(trx: Knex, teamId: TeamId, id: string): Promise<LocationModel> {
  // Found first without a lock: hosted locations are everyone's, and nobody may hold them.
  await getPrivateLocation(trx, teamId, id);
  return assertPrivate(await lockLocationRow(trx, teamId, id));
}

function assertPrivate(row: LocationModel | undefined): LocationModel {
  if (!row) throw notFound("Location");
  if (row.type === "hosted")
    throw new DomainError(
      "forbidden",
      `${row.id} is a hosted location: it is run by the operator of the service, only private locations can be managed`,
    );
  return row;
}
