import { type CreateLocation, DomainError, type Location, newId, type TeamId } from "@svc/contract";
import objection from "objection";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
import { describeLocation } from "./get-location.ts";
import { insertLocation } from "./store.ts";

/** Adds a private location; it is offline until a runner with one of its keys connects. @throws DomainError conflict */
export async function createLocation(
  services: Services,
  teamId: TeamId,
  body: CreateLocation,
  author: Author = OPERATOR,
): Promise<Location> {
  const nowMs = services.clock.nowMs();
  const row = await refuseTakenName(body.name, () =>
    services.knex.transaction(async (trx) => {
      const inserted = await insertLocation(trx, {
        id: newId("location"),
        teamId,
        name: body.name,
        displayName: body.displayName ?? body.name,
        region: "private",
        type: "private",
        status: "active",
        latitude: body.latitude ?? null,
        longitude: body.longitude ?? null,
        createdAt: new Date(nowMs).toISOString(),
      });
      await recordChange(trx, {
        ...{ teamId, author, action: "created", type: "location", atMs: nowMs },
        ...{ resourceId: inserted.id, name: inserted.name },
      });
      return inserted;
    }),
  );
  return describeLocation(services, teamId, row);
}

/** Runs a write; a name that another location of the team has is a conflict. */
export async function refuseTakenName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof objection.UniqueViolationError)
      throw new DomainError("conflict", `A location named "${name}" already exists`, { cause: error });
    throw error;
  }
}
