/** `svc-control-plane locations ...`: the status of hosted locations. Private ones are their teams'. */
import {
  type AuditAction,
  DomainError,
  type Location,
  type LocationId,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { attributesOfEvent } from "../../telemetry/derived-events/define-derived-event.ts";
import { locationStatusChanged } from "../../telemetry/derived-events/location-events.ts";
import { recordDerivedEvents } from "../../telemetry/derived-events/store.ts";
import { recordCommand } from "./operator.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

type Status = Location["status"];

interface HostedLocation {
  id: LocationId;
  name: string;
  status: Status;
  replacedBy: LocationId | null;
}

/** Teams whose events one statement writes. */
const TEAMS_AT_ONCE = 1_000;

const ACTIONS: Record<Status, AuditAction> = {
  active: "location.activated",
  deprecated: "location.deprecated",
  retired: "location.retired",
};

/** Returns the hosted locations with their status and the number of checks there as a table. */
export async function listLocationsCommand(): Promise<string> {
  const rows: (HostedLocation & { checks: number })[] = await withServices(({ knex }) =>
    knex("locations")
      .whereNull("teamId")
      .orderBy("key")
      .select("id", "name", "status", "replacedBy", {
        checks: knex.raw("(SELECT count(*)::integer FROM checks WHERE locations.id = ANY(location_ids))"),
      }),
  );
  return table(
    ["ID", "NAME", "STATUS", "REPLACED BY", "CHECKS"],
    rows.map(({ id, name, status, replacedBy, checks }) => [
      id,
      name,
      status,
      replacedBy ?? "-",
      String(checks),
    ]),
  );
}

/** A change of a location's status. */
export interface SetStatusInput {
  id: string;
  status: Status;
  /** Id of the location to use instead. */
  replacedBy?: string;
}

/**
 * Changes the status of a hosted location. Each team that has checks there gets an event, and the command is recorded in the audit
 * log. Repeating it changes nothing.
 * @throws DomainError `not_found` for anything but a hosted location; `invalid` for a successor that is not an active hosted one
 */
export async function setLocationStatusCommand({ id, status, replacedBy }: SetStatusInput): Promise<string> {
  return withServices((services) =>
    services.knex.transaction(async (trx) => {
      const location: HostedLocation | undefined = await trx("locations")
        .where({ id })
        .whereNull("teamId")
        .forUpdate()
        .first("id", "name", "status", "replacedBy");
      if (!location) throw notFound(`Hosted location ${id}`);
      const successor = replacedBy === undefined ? null : await getSuccessor(trx, location, replacedBy);
      if (location.status === status && location.replacedBy === successor)
        return `location ${id} is ${status} already`;
      const atMs = services.clock.nowMs();
      await trx("locations")
        .where({ id })
        .update({
          status,
          replacedBy: successor,
          updatedAt: new Date(atMs),
          ...(location.status !== status && { statusChangedAt: new Date(atMs) }),
        });
      await recordCommand(
        { services, trx },
        {
          action: ACTIONS[status],
          resourceId: id,
          resourceName: location.name,
          teamId: null,
          ...(successor && { detail: { replacedBy: successor } }),
        },
      );
      const teams = await recordEvents(trx, location, { status, replacedBy: successor, atMs });
      await wakeFleets(trx, "checks");
      return `location ${id} is ${status}; ${teams === 1 ? "1 team has" : `${teams} teams have`} checks there`;
    }),
  );
}

async function getSuccessor(trx: Knex, location: HostedLocation, id: string): Promise<LocationId> {
  const row: HostedLocation | undefined = await trx("locations")
    .where({ id })
    .whereNull("teamId")
    .first("id", "status");
  if (!row) throw new DomainError("invalid", `--replaced-by ${id} is not a hosted location`);
  if (row.id === location.id) throw new DomainError("invalid", `${id} can't replace itself`);
  if (row.status !== "active") throw new DomainError("invalid", `--replaced-by ${id} is ${row.status}`);
  return row.id;
}

interface StatusChange {
  status: Status;
  replacedBy: LocationId | null;
  atMs: number;
}

/** Records an event for each team with checks at the location. @returns the number of teams */
async function recordEvents(
  trx: Knex,
  { id, name, status: previousStatus }: HostedLocation,
  { status, replacedBy, atMs }: StatusChange,
): Promise<number> {
  const rows = await queryRows<{ teamId: TeamId }>(
    trx,
    "SELECT DISTINCT team_id FROM checks WHERE ? = ANY(location_ids) ORDER BY team_id",
    [id],
  );
  const teamIds = rows.map(({ teamId }) => teamId);
  for (let from = 0; from < teamIds.length; from += TEAMS_AT_ONCE)
    await recordDerivedEvents(
      trx,
      teamIds.slice(from, from + TEAMS_AT_ONCE).map((teamId) => ({
        teamId,
        name: locationStatusChanged.type,
        severity: status === "active" ? ("info" as const) : ("warning" as const),
        attributes: attributesOfEvent(locationStatusChanged, {
          id,
          name,
          status,
          previousStatus,
          replacedBy,
        }),
        occurredAtMs: atMs,
      })),
    );
  return teamIds.length;
}
