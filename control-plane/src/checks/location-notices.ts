/** Notices of the deprecated and retired locations of checks. */
import type { Check, LocationNotice } from "@svc/contract";
import type { Knex } from "knex";

/** Notices by the id of their location. */
export type LocationNotices = ReadonlyMap<string, LocationNotice>;

/** Reads the notices of all hosted locations that are deprecated or retired; there are few. */
export async function readLocationNotices(db: Knex): Promise<LocationNotices> {
  const rows: Omit<LocationNotice, "message">[] = await db("locations")
    .whereNull("teamId")
    .whereNot({ status: "active" })
    .select("id as locationId", "status", "replacedBy");
  return new Map(rows.map((row) => [row.locationId, { ...row, message: messageOf(row) }]));
}

/** Returns a check with the notices of its locations; without the field when there is none. */
export function withLocationNotices<C extends Pick<Check, "locations">>(
  check: C,
  notices: LocationNotices,
): C & Pick<Check, "locationNotices"> {
  const locationNotices = check.locations.flatMap((id) => notices.get(id) ?? []);
  return locationNotices.length === 0 ? check : { ...check, locationNotices };
}

function messageOf({ locationId, status, replacedBy }: Omit<LocationNotice, "message">): string {
  const state =
    status === "retired"
      ? `${locationId} is retired: the check is not run there any more`
      : `${locationId} is deprecated: the check is still run there, until it is retired`;
  return replacedBy === null ? state : `${state}. Use ${replacedBy} instead`;
}
