/** Refuses references to values where they could not be replaced, or would let a value decide where a request goes. */
import type * as z from "zod";
import { isObject } from "../base/is-object.ts";
import { replaceValueReferences, valueReferencesIn } from "./step-values.ts";

/** The fields of a step in which references are replaced. */
const FILLED_FIELDS: ReadonlySet<string> = new Set(["url", "headers", "body", "auth"]);

/** Stands for any value while a URL is looked at. */
const STAND_IN = "svc-value-stand-in";

interface ReferringStep {
  url: string;
  auth?: { type: string; header?: string } | undefined;
  extract: readonly { name: string }[];
}

/** Adds an issue for each reference that is none, or stands where it may not, or before its value is known; for `superRefine`. */
export function knownReferences(
  { steps }: { steps: readonly ReferringStep[] },
  context: z.RefinementCtx,
): void {
  const known = new Set<string>();
  for (const [at, step] of steps.entries()) {
    for (const text of textsIn(step, ["steps", at])) {
      const isHost = text.path[2] === "auth" && step.auth?.header?.toLowerCase() === "host";
      const message =
        isHost && valueReferencesIn(text.text).length > 0
          ? "a value may not decide which host is asked"
          : problemOf(text, known);
      if (message !== undefined) context.addIssue({ code: "custom", path: [...text.path], message });
    }
    for (const { name } of step.extract) known.add(name);
  }
}

/** A text of a step. */
interface StepText {
  text: string;
  path: readonly (string | number)[];
  /** True for the name of a field, such as that of a header. */
  isName: boolean;
}

function problemOf({ text, path, isName }: StepText, known: ReadonlySet<string>): string | undefined {
  const references = valueReferencesIn(text);
  const [first] = references;
  if (!first) return undefined;
  const [, , field = "", entry = ""] = path.map(String);
  if (isName) return `${first.written} is not replaced in a name`;
  if (!FILLED_FIELDS.has(field) || (field === "auth" && entry === "header"))
    return `${first.written} is not replaced here; values are put into url, headers, body and auth`;
  if (field === "headers" && entry.toLowerCase() === "host")
    return "a value may not decide which host is asked";
  for (const { name, written } of references) {
    if (name === undefined) return `${written} is no reference; write {{values.NAME}}`;
    if (!known.has(name)) return `${written}: no step before this one extracts a value of this name`;
  }
  return field === "url" && decidesWhere(text)
    ? `${first.written}: a value may stand in path, query and fragment alone, behind the host and a /: it may not decide which host is asked`
    : undefined;
}

/** True when a value would be part of a URL's scheme, user, password, host or port. Decided by the parser that requests use. */
function decidesWhere(url: string): boolean {
  const text = replaceValueReferences(url, () => STAND_IN);
  if (!URL.canParse(text)) return true;
  const { protocol, username, password, host } = new URL(text);
  return [protocol, username, password, host].some((part) => part.includes(STAND_IN));
}

function textsIn(value: unknown, path: readonly (string | number)[]): StepText[] {
  if (typeof value === "string") return [{ text: value, path, isName: false }];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    { text: name, path: [...path, name], isName: true },
    ...textsIn(item, [...path, name]),
  ]);
}
