/** The filter of the list of checks: words, and terms such as `label:shop`, `type:http`, `loc:`, `is:failing`, `code:yes`. Pure. */
import type { CheckRow } from "../../status/check-rows.ts";

type Test = (row: CheckRow) => boolean;

/** What `is:` may be followed by. */
const IS: Readonly<Record<string, Test>> = {
  failing: ({ state }) => state === "unhealthy",
  healthy: ({ state }) => state === "healthy",
  unknown: ({ state }) => state === "unknown",
  paused: ({ state }) => state === "paused",
  alerting: ({ openSeverity }) => openSeverity !== null,
};

const TERMS: Readonly<Record<string, (value: string) => Test>> = {
  label: (value) => (row) => row.labels.some((label) => label.toLowerCase() === value),
  type: (value) => (row) => row.type === value,
  loc: (value) => (row) => row.locations.some((location) => location.toLowerCase().includes(value)),
  is: (value) => IS[value] ?? (() => false),
  code: (value) => (row) => (row.project !== null) === (value === "yes"),
};

/** Returns a test that passes for checks with all the words in their name and all the terms. */
export function filterOf(text: string): Test {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((part): Test => {
      const [, term = "", value = ""] = /^(\w+):(.+)$/.exec(part) ?? [];
      const test = TERMS[term]?.(value);
      return test ?? (({ name }) => name.toLowerCase().includes(part));
    });
  return (row) => tests.every((test) => test(row));
}
