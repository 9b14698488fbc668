/** Recurrence rules (RFC 5545) of the kinds that the form can build, and in words. Pure. */

/** Days of the week as rules name them, with their words, from Monday on. */
export const WEEKDAYS = [
  ["MO", "Monday"],
  ["TU", "Tuesday"],
  ["WE", "Wednesday"],
  ["TH", "Thursday"],
  ["FR", "Friday"],
  ["SA", "Saturday"],
  ["SU", "Sunday"],
] as const;

/** A rule that the form can build. `other` is any rule that it can't. */
export type Recurrence =
  | { kind: "daily" }
  | { kind: "weekly"; days: readonly string[] }
  | { kind: "monthly"; day: number }
  | { kind: "monthly_weekday"; nth: number; day: string }
  | { kind: "other"; rule: string };

const NTH: readonly (readonly [number, string])[] = [
  [1, "first"],
  [2, "second"],
  [3, "third"],
  [4, "fourth"],
  [-1, "last"],
];

/** Positions of a weekday within a month, with their words. */
export const POSITIONS = NTH;

/** Returns the rule as text. */
export function ruleOf(recurrence: Recurrence): string {
  switch (recurrence.kind) {
    case "daily":
      return "FREQ=DAILY";
    case "weekly":
      return recurrence.days.length === 0 ? "FREQ=WEEKLY" : `FREQ=WEEKLY;BYDAY=${recurrence.days.join(",")}`;
    case "monthly":
      return `FREQ=MONTHLY;BYMONTHDAY=${recurrence.day}`;
    case "monthly_weekday":
      return `FREQ=MONTHLY;BYDAY=${recurrence.nth}${recurrence.day}`;
    case "other":
      return recurrence.rule;
  }
}

/** Returns what a rule's text says, as far as the form can build it. */
export function recurrenceOf(rule: string): Recurrence {
  const other: Recurrence = { kind: "other", rule };
  const parts = new Map(
    rule
      .toUpperCase()
      .replace(/^RRULE:/, "")
      .split(";")
      .filter(Boolean)
      .map((part) => part.split("=", 2) as [string, string]),
  );
  const [frequency, days, monthDay] = [parts.get("FREQ"), parts.get("BYDAY"), parts.get("BYMONTHDAY")];
  const known = [
    "FREQ",
    ...(days === undefined ? [] : ["BYDAY"]),
    ...(monthDay === undefined ? [] : ["BYMONTHDAY"]),
  ];
  if (parts.size !== known.length) return other;
  if (frequency === "DAILY" && parts.size === 1) return { kind: "daily" };
  if (frequency === "WEEKLY" && monthDay === undefined) {
    const list = days === undefined ? [] : days.split(",");
    return list.every((day) => WEEKDAYS.some(([one]) => one === day))
      ? { kind: "weekly", days: list }
      : other;
  }
  if (frequency !== "MONTHLY") return other;
  if (monthDay !== undefined && days === undefined && /^\d+$/.test(monthDay))
    return { kind: "monthly", day: Number(monthDay) };
  const [, nth, day] = /^(-?\d)([A-Z]{2})$/.exec(days ?? "") ?? [];
  const isKnown = NTH.some(([one]) => one === Number(nth)) && WEEKDAYS.some(([one]) => one === day);
  return monthDay === undefined && isKnown && day
    ? { kind: "monthly_weekday", nth: Number(nth), day }
    : other;
}

/** Returns a rule in words: "every week on Monday and Friday". */
export function wordsOf(recurrence: Recurrence): string {
  switch (recurrence.kind) {
    case "daily":
      return "every day";
    case "weekly": {
      const names = WEEKDAYS.filter(([day]) => recurrence.days.includes(day)).map(([, name]) => name);
      const list = new Intl.ListFormat("en", { type: "conjunction" }).format(names);
      return names.length === 0 ? "every week on the day it begins" : `every week on ${list}`;
    }
    case "monthly":
      return `every month on day ${recurrence.day}`;
    case "monthly_weekday": {
      const nth = NTH.find(([one]) => one === recurrence.nth)?.[1];
      const day = WEEKDAYS.find(([one]) => one === recurrence.day)?.[1];
      return `every month on the ${nth} ${day}`;
    }
    case "other":
      return `by the rule ${recurrence.rule}`;
  }
}
