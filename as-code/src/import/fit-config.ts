/**
 * Makes what a source found fit its schema: numbers beyond a limit become the limit, parts of lists and maps that are refused are left
 * out, each with a note. What can't be mended so is refused as a whole.
 */
import { describeIssue, findUnstorableText, isObject } from "@svc/contract";
import type * as z from "zod";

type Fields = Record<string, unknown>;

/** Receives what was done to a field, by the field's path. */
type FitNote = (path: string, message: string) => void;

/** Parts that may be left out to make a value fit, and the receiver of notes on them. */
interface FitRules {
  /** Says whether the item at a path may be left out without changing what the rest means. */
  isRemovable(path: readonly PropertyKey[]): boolean;
  /** Says whether a field may be left out as a whole when it can never hold. Default: none may. */
  isDroppable?(field: string): boolean;
  note: FitNote;
}

/** Rounds of mending: a limit may show only after another problem is gone. */
const ROUNDS_MAX = 6;

/**
 * Returns the value as the schema takes it, its defaults left out as they were.
 * @returns the fitting value, or the reasons why there is none
 */
export function fitConfig(
  schema: z.ZodType,
  fields: Readonly<Fields>,
  { isRemovable, isDroppable, note }: FitRules,
): { value: Fields } | { problem: string } {
  const value = structuredClone(fields) as Fields;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const unstorable = findUnstorableText(value);
    const parsed = unstorable ? undefined : schema.safeParse(value, { error: describeIssue });
    if (parsed?.success) return { value };
    const issues = unstorable
      ? [{ code: "custom", path: unstorable.path, message: unstorable.message } as z.core.$ZodIssue]
      : (parsed?.error?.issues ?? []);
    const refused = issues.filter((issue) => !mend(value, issue, { isRemovable, isDroppable, note }));
    if (refused.length > 0) return { problem: refused.slice(0, 3).map(issueText).join("; ") };
    removeHoles(value);
  }
  return { problem: "it does not fit, whatever is left out" };
}

/** Mends one problem in place; false when that is impossible. */
function mend(value: Fields, issue: z.core.$ZodIssue, { isRemovable, isDroppable, note }: FitRules): boolean {
  const { path, message } = issue;
  const limit = limitOf(issue);
  const [field, index] = path;
  if (field === undefined) return false;
  if (limit !== undefined && path.length === 1 && typeof value[String(field)] === "number") {
    note(String(field), `${String(field)} is ${String(value[String(field)])}; ${message}, which it is now`);
    value[String(field)] = limit;
    return true;
  }
  const holder = value[String(field)];
  if (limit !== undefined && path.length === 1 && Array.isArray(holder) && isRemovable(path)) {
    note(String(field), `${String(field)}: ${message}; the first ${limit} are carried over`);
    holder.length = Math.min(holder.length, limit);
    return true;
  }
  if (index === undefined && issue.code === "custom" && isDroppable?.(String(field))) {
    delete value[String(field)];
    note(String(field), `${String(field)}: ${message}; it is left out`);
    return true;
  }
  if (index === undefined || !isRemovable(path)) return false;
  if (Array.isArray(holder)) holder[Number(index)] = HOLE;
  else if (isObject(holder)) delete holder[String(index)];
  else return false;
  note(pathText(path.slice(0, 2)), `${pathText(path)}: ${message}`);
  return true;
}

const HOLE = Symbol("left out");

function removeHoles(value: Fields): void {
  for (const [field, item] of Object.entries(value))
    if (Array.isArray(item) && item.includes(HOLE)) value[field] = item.filter((one) => one !== HOLE);
}

function limitOf(issue: z.core.$ZodIssue): number | undefined {
  if (issue.code === "too_big" && typeof issue.maximum === "number") return issue.maximum;
  return issue.code === "too_small" && typeof issue.minimum === "number" ? issue.minimum : undefined;
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at > 0 ? "." : ""}${String(step)}`))
    .join("");
}
