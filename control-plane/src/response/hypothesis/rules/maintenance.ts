/** Maintenance windows that hold, or ended shortly before the start. */
import { minutesBetween } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Rules in each maintenance window that holds or ended shortly before the incident. */
export const maintenance = defineHypothesisRule("maintenance", ({ windows, openedAtMs }) => {
  if (windows.length === 0) return undefined;
  return {
    ruledIn: windows.map(({ name, endedAtMs }) =>
      endedAtMs === null
        ? `maintenance: the window "${name}" holds`
        : `maintenance: the window "${name}" ended ${minutesBetween(endedAtMs, openedAtMs)} before`,
    ),
    isChange: true,
  };
});
