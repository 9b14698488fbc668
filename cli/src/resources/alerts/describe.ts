/** Describes alerts and their rules for people. */
import type { AlertInstanceSummary, AlertRule, Condition } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import type { Column } from "../../output/table.ts";
import { ago, lengthText } from "../../output/times.ts";

/** Returns the colour of a severity. */
export function paintOfSeverity(colors: Colors, severity: string): Paint {
  if (severity === "critical") return colors.red;
  return severity === "warning" ? colors.yellow : colors.blue;
}

/**
 * Returns how long an alert lasted, or lasts by now.
 * @param nowMs Unix ms
 */
export function lengthOf({ startedAt, durationMs }: AlertInstanceSummary, nowMs: number): string {
  return lengthText(durationMs ?? Math.max(0, nowMs - Date.parse(startedAt)));
}

/** Returns the columns of a list of alerts. */
export function instanceColumns(colors: Colors, nowMs: number): Column<AlertInstanceSummary>[] {
  return [
    {
      title: "SEVERITY",
      value: ({ severity }) => severity,
      paint: ({ severity }) => paintOfSeverity(colors, severity),
    },
    { title: "STATE", value: stateText },
    { title: "MONITOR", value: ({ checkName }) => checkName ?? "-" },
    { title: "RULE", value: ({ ruleName }) => ruleName ?? "-" },
    { title: "STARTED", value: ({ startedAt }) => ago(startedAt, nowMs) },
    { title: "LASTED", value: (instance) => lengthOf(instance, nowMs), align: "right" },
    { title: "ID", value: ({ id }) => id },
  ];
}

/** Returns the state of an alert, and why nobody was notified of it. */
function stateText({ state, muted, heldBack }: AlertInstanceSummary): string {
  return [state, ...(muted ? ["muted"] : []), ...(heldBack ? ["held back"] : [])].join(", ");
}

/** Returns a condition's type and its fields: `consecutive_failures count=2`. */
export function conditionText({ type, ...fields }: Condition): string {
  const values = Object.entries(fields).filter(([, value]) => value != null);
  return [type, ...values.map(([field, value]) => `${field}=${valueText(value)}`)].join(" ");
}

function valueText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns all conditions of a rule; they must hold at once. */
export function conditionsText({ conditions }: Pick<AlertRule, "conditions">): string {
  return conditions.map(conditionText).join(" and ");
}
