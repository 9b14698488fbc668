import {
  type CreateMaintenanceWindow,
  DomainError,
  type MaintenanceWindow,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { recordChange } from "../../accounts/change-log/store.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { getWindow } from "./get-window.ts";
import { holdChecks, insertWindow, replaceChecks, replaceOccurrences } from "./store.ts";
import { EXPANDED_AHEAD_MS, plannedOccurrences, windowTimes } from "./window.ts";

/** Stores a window; one that holds already takes effect within a second. @throws DomainError invalid, conflict */
export async function createWindow(
  services: Services,
  teamId: TeamId,
  body: CreateMaintenanceWindow,
  author: Author,
): Promise<MaintenanceWindow> {
  const { knex, clock } = services;
  const { name, mode, checkIds } = body;
  const nowMs = clock.nowMs();
  const times = windowTimes(body);
  const occurrences = plannedOccurrences(times, nowMs);
  const id = newId("maintenanceWindow");
  await refuseTakenName(name, () =>
    knex.transaction(async (trx) => {
      const checkKeys = await checkKeysFor(trx, teamId, checkIds);
      const key = await insertWindow(trx, {
        ...{ id, teamId, name, mode, ...times, isForAllChecks: checkIds === "all" },
        ...{ expandedUntilMs: nowMs + EXPANDED_AHEAD_MS, createdAtMs: nowMs },
      });
      await replaceChecks(trx, key, checkKeys);
      await replaceOccurrences(trx, key, occurrences, nowMs);
      await recordChange(trx, {
        ...{ teamId, author, action: "created", type: "maintenance_window", atMs: nowMs },
        ...{ resourceId: id, name },
      });
    }),
  );
  return getWindow(services, teamId, id);
}

/** @throws DomainError invalid, naming each id that is not one of the team's checks */
export async function checkKeysFor(
  trx: Knex,
  teamId: TeamId,
  checkIds: "all" | readonly string[],
): Promise<number[]> {
  if (checkIds === "all") return [];
  const found = await holdChecks(trx, teamId, checkIds);
  const known = new Set(found.map((check) => check.id));
  const messages = checkIds.flatMap((id, index) =>
    known.has(id) ? [] : [`checkIds[${index}]: "${id}" is not a check; GET /api/checks lists them`],
  );
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { checkIds: messages }, formErrors: [] },
    });
  return found.map((check) => check.key);
}

/** Runs a write; a name that another window of the team has is a conflict. */
export async function refuseTakenName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error))
      throw new DomainError("conflict", `A maintenance window named "${name}" already exists`, {
        cause: error,
      });
    throw error;
  }
}
