/**
 * The form of an RRULE (RFC 5545), as far as its text alone decides. Whether a rule has any occurrence is the control
 * plane's to find out. Pure.
 */

const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"];

/** Ranges of RFC 5545. Libraries don't enforce them: they move hour 99 to a later day. */
const PART_RANGES: Record<string, { min: number; max: number }> = {
  BYSECOND: { min: 0, max: 59 },
  BYMINUTE: { min: 0, max: 59 },
  BYHOUR: { min: 0, max: 23 },
  BYMONTH: { min: 1, max: 12 },
};

/** Returns the rule without the prefix `RRULE:`, which some calendars write. */
export function recurrenceRuleBody(text: string): string {
  return text.trim().replace(/^RRULE:/i, "");
}

/** Returns the value of one part (`FREQ`, `INTERVAL`), or undefined when the rule does not have that part. */
export function recurrenceRulePart(body: string, part: string): string | undefined {
  return new RegExp(`(?:^|;)${part}=([^;]*)`, "i").exec(body)?.[1];
}

/** Returns a sentence about the first problem in the rule's text, or undefined when there is none. */
export function recurrenceRuleProblem(text: string): string | undefined {
  const body = recurrenceRuleBody(text);
  if (/[\r\n]/.test(body)) return "only one RRULE line is taken";
  if (/DTSTART|TZID|EXDATE|RDATE|EXRULE/i.test(body))
    return "takes no DTSTART, TZID or exceptions: startsAt and timezone say them";
  const frequency = recurrenceRulePart(body, "FREQ")?.toUpperCase();
  if (frequency === undefined || !FREQUENCIES.includes(frequency))
    return `FREQ is one of ${FREQUENCIES.join(", ")}`;
  const interval = recurrenceRulePart(body, "INTERVAL");
  if (interval !== undefined && !/^[1-9]\d{0,3}$/.test(interval))
    return "INTERVAL is a whole number from 1 to 9999";
  const count = recurrenceRulePart(body, "COUNT");
  if (count !== undefined && !/^[1-9]\d{0,5}$/.test(count)) return "COUNT is a whole number from 1 to 999999";
  const outside = Object.entries(PART_RANGES).find(
    ([part, range]) => !isListWithin(recurrenceRulePart(body, part), range),
  );
  return outside && `${outside[0]} takes whole numbers from ${outside[1].min} to ${outside[1].max}`;
}

function isListWithin(list: string | undefined, { min, max }: { min: number; max: number }): boolean {
  return (
    list === undefined ||
    list.split(",").every((text) => /^\d{1,2}$/.test(text) && +text >= min && +text <= max)
  );
}
