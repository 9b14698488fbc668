/** Turns a maintenance window into its entry of a config. Pure but for the names that `placeholders` gives. */
import type { Check, MaintenanceWindow } from "@svc/contract";
import type { Placeholders } from "./placeholders.ts";

/** Returns the entry. @param checks the checks that the window names; those that are missing here are left out */
export function windowOf(
  { name, mode, checkIds, startsAt, endsAt, recurring, recurrenceRule, timezone }: MaintenanceWindow,
  checks: readonly Pick<Check, "id" | "name">[],
  { text }: Placeholders,
): Record<string, unknown> {
  const ids = new Set<string>(checkIds === "all" ? [] : checkIds);
  const names = checks.filter(({ id }) => ids.has(id)).map((check) => check.name);
  return {
    name: text(name),
    ...(mode === "pause" ? {} : { mode }),
    checks: checkIds === "all" ? "all" : names.sort().map((one) => text(one)),
    startsAt,
    endsAt,
    ...(recurring && recurrenceRule !== null ? { recurring, recurrenceRule: text(recurrenceRule) } : {}),
    ...(timezone === "UTC" ? {} : { timezone }),
  };
}
