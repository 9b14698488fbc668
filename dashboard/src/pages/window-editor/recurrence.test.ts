import { createMaintenanceWindowSchema, findProblems } from "@svc/contract";
import { expect, it } from "vitest";
import { type Recurrence, recurrenceOf, ruleOf, wordsOf } from "./recurrence.ts";

const CASES: readonly (readonly [Recurrence, string, string])[] = [
  [{ kind: "daily" }, "FREQ=DAILY", "every day"],
  [{ kind: "weekly", days: [] }, "FREQ=WEEKLY", "every week on the day it begins"],
  [{ kind: "weekly", days: ["MO", "FR"] }, "FREQ=WEEKLY;BYDAY=MO,FR", "every week on Monday and Friday"],
  [{ kind: "monthly", day: 15 }, "FREQ=MONTHLY;BYMONTHDAY=15", "every month on day 15"],
  [
    { kind: "monthly_weekday", nth: -1, day: "SU" },
    "FREQ=MONTHLY;BYDAY=-1SU",
    "every month on the last Sunday",
  ],
];

it.each(CASES)("%j is written, read and said", (recurrence, rule, words) => {
  expect(ruleOf(recurrence)).toBe(rule);
  expect(recurrenceOf(rule)).toEqual(recurrence);
  expect(wordsOf(recurrence)).toBe(words);
});

it.each(CASES)("%j is a rule that the API accepts", (_recurrence, rule) => {
  const window = {
    name: "Night",
    checkIds: "all",
    startsAt: "2026-03-01T02:30",
    endsAt: "2026-03-01T03:30",
    recurring: true,
    recurrenceRule: rule,
  };
  expect(findProblems(createMaintenanceWindowSchema, window)).toEqual([]);
});

it.each([
  "FREQ=WEEKLY;BYDAY=MO;COUNT=3",
  "FREQ=YEARLY",
  "FREQ=MONTHLY;BYDAY=9MO",
  "FREQ=WEEKLY;BYDAY=XX",
  "nonsense",
  "",
])("%s stays as it is written", (rule) => expect(ruleOf(recurrenceOf(rule))).toBe(rule));
