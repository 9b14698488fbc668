import {
  type CreateMaintenanceWindow,
  DomainError,
  type MaintenanceWindow,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { getWindow } from "./get-window.ts";
import { holdChecks, insertWindow, replaceChecks, replaceOccurrences } from "./store.ts";
import { EXPANDED_AHEAD_MS, plannedOccurrences, windowTimes } from "./window.ts";

/**
 * Stores a window; one whose time has come takes effect within a second.
 * @throws DomainError `invalid`, or `conflict` when the name is taken
 */
export async function createWindow(
  ctx: TeamContext,
  input: CreateMaintenanceWindow,
): Promise<MaintenanceWindow> {
  const { teamId, services } = ctx;
  const { name, mode, checkIds } = input;
  const nowMs = services.clock.nowMs();
  const times = windowTimes(input);
  const occurrences = await plannedOccurrences(teamId, times, { nowMs });
  const id = newId("maintenanceWindow");
  await conflictWhenInUse({ noun: "maintenance window", name }, () =>
    changeRecord(ctx, async (trx) => {
      const checkKeys = await checkKeysFor(trx, teamId, checkIds);
      const key = await insertWindow(trx, {
        ...times,
        id,
        teamId,
        name,
        mode,
        isForAllChecks: checkIds === "all",
        expandedUntilMs: nowMs + EXPANDED_AHEAD_MS,
        createdAtMs: nowMs,
      });
      await replaceChecks(trx, key, checkKeys);
      await replaceOccurrences(trx, { key, occurrences, nowMs });
      return {
        result: undefined,
        changes: [{ action: "created", type: "maintenance_window", resourceId: id, name }],
      };
    }),
  );
  return getWindow(ctx, { id });
}

/**
 * Returns the keys of a window's checks; none for "all".
 * @throws DomainError `invalid`, naming each id that is not one of the team's checks
 */
export async function checkKeysFor(
  trx: Knex,
  teamId: TeamId,
  checkIds: "all" | readonly string[],
): Promise<number[]> {
  if (checkIds === "all") return [];
  const found = await holdChecks(trx, teamId, checkIds);
  const known = new Set<string>(found.map((check) => check.id));
  const messages = checkIds.flatMap((id, index) =>
    known.has(id) ? [] : [`checkIds[${index}]: "${id}" is not a check; GET /api/checks lists them`],
  );
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { checkIds: messages }, formErrors: [] },
    });
  return found.map((check) => check.key);
}
