/** Finds the fields of a record that differ, for the change log. Pure. */

import { isDeepStrictEqual } from "node:util";
import { type ChangedField, isObject, REDACTED } from "@svc/contract";

/** A record as plain JSON, for comparing and showing. */
export type Described = Record<string, unknown>;

/**
 * Returns the fields that differ, in the order in which their names first appear. Objects are compared field by field
 * (`configJson.url`), lists as a whole.
 * @param shown the two records as they may be shown, secrets masked; a field whose change they hide is marked `redacted`
 */
export function changedFields(
  before: Described,
  after: Described,
  shown: { before: Described; after: Described } = { before, after },
): ChangedField[] {
  return compare(
    {
      before: asJson(before),
      after: asJson(after),
      shownBefore: asJson(shown.before),
      shownAfter: asJson(shown.after),
    },
    "",
  );
}

/** A record before and after a change, and the form of both that may be shown. */
interface Comparison {
  before: Described;
  after: Described;
  shownBefore: Described;
  shownAfter: Described;
}

function compare({ before, after, shownBefore, shownAfter }: Comparison, prefix: string): ChangedField[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    const [shownOld, shownNow] = [shownBefore[name], shownAfter[name]];
    if (isObject(old) && isObject(now) && isObject(shownOld) && isObject(shownNow))
      return compare(
        { before: old, after: now, shownBefore: shownOld, shownAfter: shownNow },
        `${prefix}${name}.`,
      );
    // Only where nothing is compared field by field: else each level would compare all the levels below.
    if (isDeepStrictEqual(old, now)) return [];
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

/** Returns the record as it is stored: without undefined fields. */
function asJson(resource: Described): Described {
  return JSON.parse(JSON.stringify(resource));
}
