/** A plan in GitHub's Markdown, for a comment on a pull request; GitLab shows it alike. */

import {
  createdSchedule,
  type FieldChange,
  KIND_WORDS,
  type PlannedChange,
  summaryOf,
} from "@svc/as-code/plan";
import { durationText } from "@svc/contract";
import type { Output } from "../output/output.ts";
import type { PreparedDeploy } from "./prepare-deploy.ts";

/** Longest comment, characters: GitHub refuses more than 65,536, and whoever posts it may add a heading. */
const CHARACTERS_MAX = 60_000;
const VALUE_CHARACTERS_MAX = 200;
const FIELDS_MAX = 20;

/**
 * Returns the lines of the plan. Names and values are code, so that none is a mention, a link, an image or HTML; secrets are redacted.
 * Changes beyond what a comment holds are counted.
 */
export function planMarkdown(
  out: Output,
  { plan, exceeded }: Pick<PreparedDeploy, "plan" | "exceeded">,
): string[] {
  const summary = summaryOf(plan);
  const totals = `${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged`;
  const head = [`### svc: plan for ${code(out, plan.project)}`, "", `**${totals}**`];
  const tail = [
    ...exceeded.map(({ message }) => `- **Beyond a limit:** ${code(out, message)}`),
    ...plan.locationNotices.map(
      ({ monitor, message }) => `- Monitor ${code(out, monitor)}: ${code(out, message)}`,
    ),
  ];
  const changes = plan.changes.filter(({ type }) => type !== "unchanged");
  const rows = changes.map((change) => row(out, change));
  const kept = rowsThatFit(rows, CHARACTERS_MAX - [...head, ...tail].join("\n").length - 100);
  const more = rows.length - kept.length;
  return [
    ...head,
    ...(kept.length > 0 ? ["", "| | Resource | Change |", "| --- | --- | --- |", ...kept] : []),
    ...(more > 0 ? ["", `... and ${more} more; \`svc diff\` lists them all.`] : []),
    ...(tail.length > 0 ? ["", ...tail] : []),
  ];
}

function rowsThatFit(rows: readonly string[], charactersMax: number): string[] {
  let characters = 0;
  const end = rows.findIndex((text) => {
    characters += text.length + 1;
    return characters > charactersMax;
  });
  return rows.slice(0, end < 0 ? rows.length : end);
}

function row(out: Output, change: PlannedChange): string {
  const details = [
    ...(change.drift
      ? [`**${change.isForeign ? "not deployed from here" : "changed on the service"}**`]
      : []),
    ...scheduleOf(change),
    ...change.fieldChanges.slice(0, FIELDS_MAX).map((field) => fieldText(out, field)),
  ];
  const more = change.fieldChanges.length - FIELDS_MAX;
  if (more > 0) details.push(`and ${more} more fields`);
  return `| ${change.type} | ${KIND_WORDS[change.kind]} ${code(out, change.name)} | ${details.join("<br>")} |`;
}

function scheduleOf(change: PlannedChange): string[] {
  const schedule = createdSchedule(change);
  if (!schedule || change.kind !== "check") return [];
  const { frequencySeconds, locationCount } = schedule;
  return [
    `${change.checkType}, every ${durationText(frequencySeconds)}, ${locationCount} location${locationCount === 1 ? "" : "s"}`,
  ];
}

function fieldText(out: Output, { field, oldValue, newValue, redacted }: FieldChange): string {
  const name = code(out, field);
  if (field === "body" || field === "script") return `${name}: changed`;
  if (redacted) return `${name}: the value changed and is hidden`;
  return `${name}: ${valueCode(out, oldValue)} → ${valueCode(out, newValue)}`;
}

function valueCode(out: Output, value: unknown): string {
  if (value === null) return "none";
  return code(out, typeof value === "string" ? value : JSON.stringify(value));
}

/** Returns a text as inline code: in a fence longer than any in it, with the bars escaped that would end a table's cell. */
function code(out: Output, text: string): string {
  const characters = Array.from(out.text(text));
  const cut =
    characters.length > VALUE_CHARACTERS_MAX
      ? `${characters.slice(0, VALUE_CHARACTERS_MAX - 1).join("")}…`
      : characters.join("");
  if (cut.trim() === "") return "(empty)";
  const longest = Math.max(0, ...Array.from(cut.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const inner = longest > 0 ? ` ${cut} ` : cut;
  return `${fence}${inner.replaceAll("|", "\\|")}${fence}`;
}
