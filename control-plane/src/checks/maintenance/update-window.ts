import { type MaintenanceWindow, notFound, type TeamId, type UpdateMaintenanceWindow } from "@svc/contract";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { checkKeysFor, refuseTakenName } from "./create-window.ts";
import { describeWindow, getWindow } from "./get-window.ts";
import {
  findWindowRow,
  keepHistory,
  lockWindowRow,
  replaceChecks,
  replaceOccurrences,
  updateWindow as storeWindow,
  type WindowRow,
} from "./store.ts";
import { EXPANDED_AHEAD_MS, plannedOccurrences, type WindowInput, windowTimes } from "./window.ts";

/**
 * Changes what is given; takes effect within a second. A rule makes a window recurring, `recurring: false` drops the rule.
 * @throws DomainError not_found, invalid, conflict
 */
export async function updateWindow(
  services: Services,
  teamId: TeamId,
  id: string,
  body: UpdateMaintenanceWindow,
  author: Author,
): Promise<MaintenanceWindow> {
  const { knex, clock } = services;
  const nowMs = clock.nowMs();
  await refuseTakenName(body.name ?? "", () =>
    knex.transaction(async (trx) => {
      const current = await lockWindowRow(trx, teamId, id, nowMs);
      if (!current) throw notFound("Maintenance window");
      const input = merged(current, body);
      const times = windowTimes(input);
      if (body.checkIds !== undefined && !isSameChecks(current, body.checkIds))
        await keepHistory(trx, current.key, nowMs);
      const isForAllChecks = body.checkIds === undefined ? current.isForAllChecks : body.checkIds === "all";
      await storeWindow(
        trx,
        current.key,
        {
          ...{ name: input.name, mode: input.mode, isForAllChecks, ...times },
          expandedUntilMs: nowMs + EXPANDED_AHEAD_MS,
        },
        nowMs,
      );
      if (body.checkIds !== undefined)
        await replaceChecks(trx, current.key, await checkKeysFor(trx, teamId, body.checkIds));
      await replaceOccurrences(trx, current.key, plannedOccurrences(times, nowMs), nowMs);
      const updated = await findWindowRow(trx, teamId, id, nowMs);
      await recordChange(trx, {
        ...{ teamId, author, action: "updated", type: "maintenance_window", atMs: nowMs },
        ...{ resourceId: id, name: input.name },
        changedFields: updated ? changedFields(describeWindow(current), describeWindow(updated)) : [],
      });
    }),
  );
  return getWindow(services, teamId, id);
}

function isSameChecks(current: WindowRow, checkIds: "all" | readonly string[]): boolean {
  if (checkIds === "all") return current.isForAllChecks;
  return !current.isForAllChecks && [...current.checkIds].sort().join() === [...checkIds].sort().join();
}

/** The window with what is given in place of what it has. */
function merged(current: WindowRow, body: UpdateMaintenanceWindow): WindowInput {
  const { recurrenceRule: givenRule, recurring: givenRecurring } = body;
  const recurrenceRule =
    givenRule !== undefined ? givenRule : givenRecurring === false ? null : current.recurrenceRule;
  return {
    name: body.name ?? current.name,
    mode: body.mode ?? current.mode,
    startsAt: body.startsAt ?? current.startsAt,
    endsAt: body.endsAt ?? current.endsAt,
    timezone: body.timezone ?? current.timezone,
    recurring: givenRecurring ?? recurrenceRule !== null,
    recurrenceRule,
  };
}
