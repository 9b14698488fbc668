/** Finds private locations, and tells them from hosted ones, which nobody may manage over REST. */
import { DomainError, type LocationId, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { looksLikeLocationId } from "./ids.ts";
import type { LocationModel } from "./row.ts";
import { findLocationRow, lockLocationRow } from "./store.ts";

/**
 * Returns the team's private location.
 * @throws DomainError `not_found` when the id is unknown or another team's, `forbidden` for a hosted location
 */
export async function getPrivateLocation(db: Knex, teamId: TeamId, id: LocationId): Promise<LocationModel> {
  return assertPrivate(looksLikeLocationId(id) ? await findLocationRow(db, teamId, id) : undefined);
}

/**
 * Returns the team's private location, locked until the transaction ends.
 * @throws DomainError `not_found` or `forbidden`, as {@link getPrivateLocation}
 */
export async function lockPrivateLocation(trx: Knex, teamId: TeamId, id: LocationId): Promise<LocationModel> {
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
