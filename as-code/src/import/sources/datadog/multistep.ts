/** Multistep tests of Datadog. */
import { capturingGroups } from "@svc/contract";
import { withBraceVariables } from "../../carry/http.ts";
import { multistepCheck } from "../../carry/other-types.ts";
import { patternOf, simplePath } from "../../carry/patterns.ts";
import type { DraftMonitor, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { assertionsOf, noteVariables, requestOf } from "./http.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

/** A value that later steps use, in the fields of a check. */
type Extracted = Readonly<Record<string, unknown>> & { name: string };

/** Time limit of a step that names none, s: Datadog's. */
const STEP_SECONDS_DEFAULT = 60;
/** Longest that a run of several requests may take, ms. */
const RUN_MS_MAX = 120_000;

/** Returns the check, or why there is none: values that can't be extracted would be missing in later steps. */
export function multistepOf(
  config: Item,
  { draft, name }: Context,
): Pick<DraftMonitor, "type" | "config"> | { problem: string } {
  noteVariables(config, { draft, name });
  const steps: Record<string, unknown>[] = [];
  const names = new Set<string>();
  const known = new Set<string>();
  let runMs = 0;
  for (const [at, step] of config.get("steps").items().entries()) {
    const subtype = step.get("subtype").text() ?? "http";
    if (subtype === "wait") {
      draft.leftOut(step, "steps follow each other at once", name);
      continue;
    }
    if (subtype !== "http")
      return { problem: `its step ${at + 1} is of type ${subtype}; multistep checks send HTTP requests` };
    const extracted = extractedBy(step);
    if ("problem" in extracted) return { problem: `its step ${at + 1}: ${extracted.problem}` };
    noteStep(step, { draft, name });
    const request = step.get("request");
    const proxy = request.get("proxy").get("url");
    if (proxy.isGiven())
      draft.leftOut(proxy, "all requests of a check go through one proxy; write proxyUrl", name);
    steps.push({
      name: distinctName(step, at, names),
      ...requestOf({ request, text: (item) => withValues(item, known, { draft, name }) }, { draft, name }),
      assertions: step
        .get("assertions")
        .items()
        .flatMap((assertion) => assertionsOf(assertion, { draft, name })),
      extract: extracted.values.length > 0 ? extracted.values : undefined,
    });
    for (const value of extracted.values) known.add(value.name);
    runMs += Math.round((request.get("timeout").number() || STEP_SECONDS_DEFAULT) * 1_000);
  }
  if (steps.length === 0) return { problem: "it has no step that sends a request" };
  return multistepCheck(steps, Math.min(RUN_MS_MAX, Math.max(1, runMs)));
}

/** Returns a text in which values of earlier steps are references, and other variables are stood in for. */
function withValues(item: Item, known: ReadonlySet<string>, { draft, name }: Context): string | undefined {
  const text = item.text();
  if (text === undefined) return undefined;
  const parts = text.split(/(\{\{[^{}]{0,200}\}\})/);
  return parts
    .map((part, at) => {
      const value = part.slice(2, -2).trim();
      if (at % 2 === 1 && known.has(value)) return `{{values.${value}}}`;
      return withBraceVariables(item.as(part), draft, name) ?? "";
    })
    .join("");
}

function extractedBy(step: Item): { values: Extracted[] } | { problem: string } {
  const values: Extracted[] = [];
  for (const one of step.get("extractedValues").items()) {
    const source = sourceOf(one);
    if ("problem" in source)
      return { problem: `the value ${one.get("name").text() ?? ""} ${source.problem}` };
    const isSecret = one.get("secure").flag() === true;
    values.push({ name: one.get("name").text() ?? "", ...source, ...(isSecret && { secret: true }) });
  }
  return step.get("extractedValuesFromScript").filled() === undefined
    ? { values }
    : { problem: "its values are extracted by a script" };
}

/** Returns where a value is found, in the fields of a check. */
function sourceOf(value: Item): Readonly<Record<string, unknown>> | { problem: string } {
  const type = value.get("type").text() ?? "";
  const parser = value.get("parser");
  const how = parser.get("type").text() ?? "raw";
  const wanted = parser.get("value").text() ?? "";
  if (type !== "http_body" && type !== "http_header")
    return { problem: `is of type ${type}: values come from the body and from headers` };
  const header =
    type === "http_header" ? { from: "header", header: value.get("field").text() ?? "" } : undefined;
  if (how === "raw") return header ?? { from: "regex", pattern: "^[\\s\\S]+$" };
  if (how === "json_path" && !header) {
    const path = simplePath(wanted);
    return path === undefined
      ? { problem: "has a path that is none of plain names" }
      : { from: "json_path", path };
  }
  if (how !== "regex") return { problem: `is found by ${how}, which no check does` };
  const found = patternOf(wanted);
  if ("problem" in found) return { problem: `is found by an expression: ${found.problem}` };
  return {
    ...(header ?? { from: "regex" }),
    pattern: found.pattern,
    ...(capturingGroups(found.pattern) > 0 && { group: 1 }),
  };
}

function distinctName(step: Item, at: number, names: Set<string>): string {
  const wished = (step.get("name").filled() ?? `Step ${at + 1}`).slice(0, 240);
  const name = names.has(wished) ? `${wished} (${at + 1})` : wished;
  names.add(name);
  return name;
}

function noteStep(step: Item, { draft, name }: Context): void {
  step.get("retry").settle();
  step.skip("id", "isCritical", "extractedValuesFromScript");
  if (step.get("allowFailure").flag() === true)
    draft.changed(step.get("allowFailure"), "a step that fails ends the run here, and is its failure", name);
  if ((step.get("retry").get("count").number() ?? 0) > 0)
    draft.leftOut(step.get("retry"), "a run is retried as a whole, no single step is", name);
  if (step.get("exitIfSucceed").flag() === true)
    draft.leftOut(step.get("exitIfSucceed"), "every step is carried out", name);
}
