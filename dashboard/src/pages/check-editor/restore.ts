/**
 * A check as it was before a change, from the change log: each change since is undone, from the newest back. What the log does not
 * hold stays as it is now: masked values, long ones, and what the form has no field for. Pure.
 */
import { type Change, REDACTED } from "@svc/contract";
import { pathOfText, valueAt, withValueAt } from "../../forms/paths.ts";
import { type CheckDraft, configKeyOf } from "./body.ts";

/** Fields that an entry of the change log names at most; one with so many may have had more. */
const ENTRY_FIELDS_MAX = 200;
/** Characters to which the log cuts the name of a field. */
const FIELD_NAME_LENGTH_MAX = 300;
/** Fields of a check that the form has, besides its configuration. */
const OWN_FIELDS = new Set(["name", "enabled", "frequencySeconds", "locations", "retry", "dependsOn"]);

type LoggedChange = Pick<Change, "id" | "action" | "changedFields">;

/** A field that stays as it is now, and why. */
interface KeptField {
  field: string;
  why: string;
}

/** A check as it was before a change, as far as the log tells. */
export interface Restored {
  draft: CheckDraft;
  /** Fields that stay as they are now. */
  kept: readonly KeptField[];
}

/**
 * Returns the draft of a check with each change undone, from the newest to the one that is named; undefined when it is not
 * among them.
 * @param changes of the check, the newest first
 */
export function restoredBefore(
  draft: CheckDraft,
  changes: readonly LoggedChange[],
  changeId: string,
): Restored | undefined {
  const at = changes.findIndex(({ id, action }) => id === changeId && action === "updated");
  if (at === -1) return undefined;
  const kept = new Map<string, string>();
  let restored: unknown = draft;
  for (const { changedFields } of changes.slice(0, at + 1)) {
    for (const { field, oldValue, redacted, truncated } of changedFields) {
      const path = pathIn(draft, field);
      const why = reasonToKeep({ restored, field, path, oldValue, redacted, truncated });
      if (why !== undefined) kept.set(field, why);
      else {
        restored = withValueAt(restored, path as string[], oldValue ?? undefined);
        // An older change tells what a newer one does not.
        kept.delete(field);
      }
    }
    if (changedFields.length >= ENTRY_FIELDS_MAX)
      kept.set("further fields", `a change of more than ${ENTRY_FIELDS_MAX} fields is not logged as a whole`);
  }
  return { draft: restored as CheckDraft, kept: [...kept].map(([field, why]) => ({ field, why })) };
}

/** Returns the path in the draft of a field of the change log; undefined for one that the form does not have. */
function pathIn({ type }: CheckDraft, field: string): string[] | undefined {
  const [first = "", ...rest] = pathOfText(field).map(String);
  if (first === "configJson") return [configKeyOf(type), ...rest];
  return OWN_FIELDS.has(first) ? [first, ...rest] : undefined;
}

function reasonToKeep({
  restored,
  field,
  path,
  oldValue,
  redacted,
  truncated,
}: {
  restored: unknown;
  field: string;
  path: string[] | undefined;
  oldValue?: unknown;
  redacted?: true | undefined;
  truncated?: true | undefined;
}): string | undefined {
  if (field === "labels") return `labels are not in this form; they were ${labelsText(oldValue)}`;
  if (redacted || JSON.stringify(oldValue ?? null).includes(REDACTED)) return "masked in the change log";
  if (truncated) return "too long: the change log holds its beginning only";
  // The log writes the path of a field with dots, and a name may have some of its own.
  const isFound =
    path !== undefined &&
    field.length < FIELD_NAME_LENGTH_MAX &&
    (path.length === 1 || isObject(valueAt(restored, path.slice(0, -1))));
  return isFound ? undefined : "it can't be found in the configuration any more";
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function labelsText(labels: unknown): string {
  return Array.isArray(labels) && labels.length > 0 ? labels.join(", ") : "none";
}
