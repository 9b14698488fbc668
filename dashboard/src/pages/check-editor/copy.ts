/** A check as the beginning of another one: without its secrets, which are never handed out. Pure. */
import { MASK, secretMarksOf } from "@svc/contract";
import { type Path, pathText, valueAt } from "../../forms/paths.ts";
import { type CheckDraft, configKeyOf } from "./body.ts";

const NAME_LENGTH_MAX = 255;
const SUFFIX = " (copy)";

/** A check's copy, and where it lacks a secret that the check has. */
export interface CheckCopy {
  draft: CheckDraft;
  /** The places that lack a secret, with what the draft has there instead. */
  missing: readonly { path: Path; emptied: string }[];
}

/** Returns a draft under a name of its own, with nothing in place of each `***`. @param draft a check as a masked read answers it */
export function copyOf(draft: CheckDraft): CheckCopy {
  const key = configKeyOf(draft.type);
  const marks = secretMarksOf(draft.type);
  const missing: { path: Path; emptied: string }[] = [];
  const config = Object.fromEntries(
    Object.entries((draft[key] ?? {}) as Record<string, unknown>).map(([field, value]) => {
      // Bodies and scripts are answered as they are: a `***` in one is its own text.
      const mayBeMasked = marks[field] !== undefined && marks[field] !== "content";
      return [field, mayBeMasked ? emptied(value, [key, field], missing) : value];
    }),
  );
  return { draft: { ...draft, name: copyName(draft.name ?? ""), [key]: config }, missing };
}

/** Returns the secrets that a draft still lacks, as the service would refuse them: `httpConfig.headers.Authorization: ...`. */
export function stillMissing(draft: CheckDraft, { missing }: Pick<CheckCopy, "missing">): string[] {
  return missing
    .filter(({ path, emptied: was }) => valueAt(draft, path) === was)
    .map(
      ({ path }) => `${pathText(path)}: give its secret anew, which is not copied, or take the field away`,
    );
}

/** Returns the name of a check's copy, within the length of a name; cuts no character in two. */
function copyName(name: string): string {
  const characters = [...name];
  while (characters.join("").length > NAME_LENGTH_MAX - SUFFIX.length) characters.pop();
  return characters.join("").trimEnd() + SUFFIX;
}

function emptied(value: unknown, path: Path, missing: { path: Path; emptied: string }[]): unknown {
  if (typeof value === "string") {
    if (!value.includes(MASK)) return value;
    const text = value.replaceAll(MASK, "");
    missing.push({ path, emptied: text });
    return text;
  }
  if (Array.isArray(value)) return value.map((item, i) => emptied(item, [...path, i], missing));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, emptied(item, [...path, name], missing)]),
  );
}
