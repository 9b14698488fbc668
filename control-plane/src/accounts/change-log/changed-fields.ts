/** Which fields of a resource differ, for the change log. Pure. */
import { isDeepStrictEqual } from "node:util";
import { type ChangedField, REDACTED } from "@svc/contract";

/** A resource as plain JSON. */
export type Described = Record<string, unknown>;

/**
 * The fields that differ, in the order of their names' first appearance. Objects are compared field by field
 * (`configJson.url`), lists as a whole.
 * @param shown the same resources as they may be shown, with what is secret replaced; a field of which that tells nothing
 * is marked `redacted`
 */
export function changedFields(
  before: Described,
  after: Described,
  shown: { before: Described; after: Described } = { before, after },
): ChangedField[] {
  return compare(asJson(before), asJson(after), asJson(shown.before), asJson(shown.after), "");
}

function compare(
  before: Described,
  after: Described,
  shownBefore: Described,
  shownAfter: Described,
  prefix: string,
): ChangedField[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    if (isDeepStrictEqual(before[name], after[name])) return [];
    const [old, now] = [before[name], after[name]];
    const [shownOld, shownNow] = [shownBefore[name], shownAfter[name]];
    if (isObject(old) && isObject(now) && isObject(shownOld) && isObject(shownNow))
      return compare(old, now, shownOld, shownNow, `${prefix}${name}.`);
    const isHidden = isDeepStrictEqual(shownOld, shownNow) || hides(shownOld) || hides(shownNow);
    return [
      isHidden
        ? { field: prefix + name, oldValue: REDACTED, newValue: REDACTED, redacted: true as const }
        : { field: prefix + name, oldValue: shownOld ?? null, newValue: shownNow ?? null },
    ];
  });
}

function hides(shown: unknown): boolean {
  return shown === REDACTED;
}

function isObject(value: unknown): value is Described {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As it is stored: undefined fields are none. */
function asJson(resource: Described): Described {
  return JSON.parse(JSON.stringify(resource));
}
