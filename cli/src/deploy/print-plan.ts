/** Prints a plan for a person. */

import {
  createdSchedule,
  type Drift,
  type FieldChange,
  KIND_WORDS,
  type Plan,
  type PlannedChange,
  type PolicyChange,
  summaryOf,
} from "@svc/as-code/plan";
import { counted, durationText } from "@svc/contract";
import type { Colors, Paint } from "../output/colors.ts";
import type { Output } from "../output/output.ts";
import { cutTo } from "../output/width.ts";

const SYMBOLS = { create: "+", update: "~", delete: "-", unchanged: "=" } as const;
/** Longer values are cut: people read this, programs take --json. */
const VALUE_COLUMNS_MAX = 100;
/** A larger number of unchanged resources is only counted. */
const UNCHANGED_LISTED_MAX = 20;

/** Prints the plan for a person: a line per change, a line per changed field, and the totals. */
export function printPlan(out: Output, plan: Plan): void {
  const { colors } = out;
  out.line(colors.bold(`Project ${out.text(plan.project)}`));
  if (plan.renamedFrom !== undefined)
    out.line(`takes over what was deployed by the project ${out.text(plan.renamedFrom)}`);
  const unchanged = plan.changes.filter(({ type }) => type === "unchanged");
  const hidesUnchanged = unchanged.length > UNCHANGED_LISTED_MAX && !out.isVerbose;
  for (const change of plan.changes)
    if (change.type !== "unchanged" || !hidesUnchanged) printChange(out, change);
  const summary = summaryOf(plan);
  const hidden = hidesUnchanged ? " (not listed; --verbose lists them)" : "";
  out.line(
    `Plan: ${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged${hidden}`,
  );
  for (const { monitor, message } of plan.locationNotices)
    out.info(`note: monitor ${quoted(out, monitor)}: ${out.text(message)}`);
  if (plan.isPruning || out.isVerbose)
    for (const { kind, name, reason } of plan.leftAlone)
      out.info(`left alone: ${KIND_WORDS[kind]} ${quoted(out, name)}: ${out.text(reason)}`);
  if (plan.prunable.length > 0)
    out.info(
      `${counted(plan.prunable.length, "resource")} of the service not in the config (svc deploy --prune would delete): ${out.text(
        plan.prunable
          .slice(0, 5)
          .map(({ kind, name }) => `${KIND_WORDS[kind]} ${name}`)
          .join(", "),
      )}${plan.prunable.length > 5 ? ", ..." : ""}`,
    );
}

function printChange(out: Output, change: PlannedChange): void {
  const drift = change.drift
    ? out.colors.yellow(`  [${change.isForeign ? FOREIGN : DRIFT_WORDS[change.drift]}]`)
    : "";
  const held =
    change.kind === "alert_policy" && change.type !== "unchanged" ? [out.text(heldText(change))] : [];
  for (const line of changeLines(out, change, { detail: `${detail(change)}${drift}`, held })) out.line(line);
}

/** Returns the lines of a change: its head, and a line for each changed field. */
export function changeLines(
  out: Output,
  change: Pick<PlannedChange, "type" | "kind" | "name" | "fieldChanges">,
  { detail = "", held = [] }: { detail?: string; held?: readonly string[] } = {},
): string[] {
  const paint = paintOf(out.colors, change);
  return [
    `${paint(`${SYMBOLS[change.type]} ${KIND_WORDS[change.kind]} ${quoted(out, change.name)}`)}${detail}`,
    ...[...held, ...change.fieldChanges.map((field) => fieldLine(out, field))].map((line) => `    ${line}`),
  ];
}

/** Monitors that a line about an alert policy names; the others are counted. */
const MONITORS_NAMED_MAX = 5;

function heldText({ type, monitors }: PolicyChange): string {
  const verb = type === "delete" ? "held" : "holds";
  if (monitors.length === 0) return `${verb} for no monitor`;
  const more = monitors.length - MONITORS_NAMED_MAX;
  const named = monitors.slice(0, MONITORS_NAMED_MAX).join(", ");
  return `${verb} for ${counted(monitors.length, "monitor")}: ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

const FOREIGN = "to be replaced, and not deployed from here";
const DRIFT_WORDS: Record<Drift, string> = {
  drift: "changed on the service since the last deploy",
  conflict: "changed here and on the service since the last deploy",
};

function detail(change: PlannedChange): string {
  const schedule = createdSchedule(change);
  if (!schedule || change.kind !== "check") return "";
  const every = durationText(schedule.frequencySeconds);
  return `  ${change.checkType}, every ${every}, ${counted(schedule.locationCount, "location")}`;
}

function fieldLine(out: Output, { field, oldValue, newValue, redacted }: FieldChange): string {
  const name = out.text(field);
  if (field === "body" || field === "script") return `${name}: changed (content not shown)`;
  if (redacted) return `${name}: ${oldValue} -> ${newValue} (the value changed and is hidden)`;
  return `${name}: ${out.colors.red(valueText(out, oldValue))} -> ${out.colors.green(valueText(out, newValue))}`;
}

function valueText(out: Output, value: unknown): string {
  if (value === null) return "none";
  return cutTo(out.text(typeof value === "string" ? value : JSON.stringify(value)), VALUE_COLUMNS_MAX);
}

function quoted(out: Output, name: string): string {
  return `"${out.text(name)}"`;
}

function paintOf(colors: Colors, { type }: Pick<PlannedChange, "type">): Paint {
  return { create: colors.green, update: colors.yellow, delete: colors.red, unchanged: colors.dim }[type];
}
