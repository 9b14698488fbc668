import { isDeepStrictEqual } from "node:util";
import {
  type MaintenanceWindow,
  type MaintenanceWindowId,
  notFound,
  type UpdateMaintenanceWindow,
} from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { checkKeysFor } from "./create-window.ts";
import { describeWindow, getWindow } from "./get-window.ts";
import type { Occurrence } from "./recurrence.ts";
import {
  findWindowRow,
  keepHistory,
  lockWindowRow,
  patchWindowRow,
  replaceChecks,
  replaceOccurrences,
  type WindowRow,
} from "./store.ts";
import {
  EXPANDED_AHEAD_MS,
  plannedOccurrences,
  type WindowInput,
  type WindowTimes,
  windowTimes,
} from "./window.ts";

/**
 * Changes the given fields of a window, with effect within a second. A rule makes a window recurring, `recurring: false`
 * drops the rule.
 * @throws DomainError `not_found`, `invalid`, or `conflict` when the name is taken
 */
export async function updateWindow(
  ctx: TeamContext,
  { id, update }: { id: MaintenanceWindowId; update: UpdateMaintenanceWindow },
): Promise<MaintenanceWindow> {
  const { teamId, services } = ctx;
  const nowMs = services.clock.nowMs();
  const planned = await planBefore(ctx, { id, update });
  await conflictWhenInUse({ noun: "maintenance window", name: update.name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockWindowRow(trx, { teamId, id, nowMs });
      if (!current) throw notFound("Maintenance window");
      assertSameVersion(ctx, current);
      const { key } = current;
      const { checkIds } = update;
      const input = merged(current, update);
      const times = windowTimes(input);
      const occurrences =
        planned && isDeepStrictEqual(times, planned.times)
          ? planned.occurrences
          : await plannedOccurrences(teamId, times, { nowMs });
      if (checkIds !== undefined && !isSameChecks(current, checkIds)) await keepHistory(trx, key, nowMs);
      await patchWindowRow(trx, key, {
        ...times,
        name: input.name,
        mode: input.mode,
        isForAllChecks: checkIds === undefined ? current.isForAllChecks : checkIds === "all",
        expandedUntilMs: nowMs + EXPANDED_AHEAD_MS,
        updatedAtMs: nowMs,
      });
      if (checkIds !== undefined) await replaceChecks(trx, key, await checkKeysFor(trx, teamId, checkIds));
      await replaceOccurrences(trx, { key, occurrences, nowMs });
      const updated = await findWindowRow(trx, { teamId, id, nowMs });
      return {
        result: undefined,
        changes: [
          {
            action: "updated",
            type: "maintenance_window",
            resourceId: id,
            name: input.name,
            changedFields: updated ? changedFields(describeWindow(current), describeWindow(updated)) : [],
          },
        ],
      };
    }),
  );
  return getWindow(ctx, { id });
}

/**
 * Works the occurrences out before the window is locked, because a rule may take long. They hold unless somebody else
 * changes the window meanwhile. Undefined when there is no such window.
 */
async function planBefore(
  { teamId, services }: TeamContext,
  { id, update }: { id: MaintenanceWindowId; update: UpdateMaintenanceWindow },
): Promise<{ times: WindowTimes; occurrences: Occurrence[] } | undefined> {
  const nowMs = services.clock.nowMs();
  const current = await findWindowRow(services.knex, { teamId, id, nowMs });
  if (!current) return undefined;
  const times = windowTimes(merged(current, update));
  return { times, occurrences: await plannedOccurrences(teamId, times, { nowMs }) };
}

function isSameChecks(current: WindowRow, checkIds: "all" | readonly string[]): boolean {
  if (checkIds === "all") return current.isForAllChecks;
  return !current.isForAllChecks && [...current.checkIds].sort().join() === [...checkIds].sort().join();
}

/** Returns the window with the update's fields in place of its own. */
function merged(current: WindowRow, update: UpdateMaintenanceWindow): WindowInput {
  const { recurrenceRule: givenRule, recurring: givenRecurring } = update;
  const recurrenceRule =
    givenRule !== undefined ? givenRule : givenRecurring === false ? null : current.recurrenceRule;
  return {
    name: update.name ?? current.name,
    mode: update.mode ?? current.mode,
    startsAt: update.startsAt ?? current.startsAt,
    endsAt: update.endsAt ?? current.endsAt,
    timezone: update.timezone ?? current.timezone,
    recurring: givenRecurring ?? recurrenceRule !== null,
    recurrenceRule,
  };
}
