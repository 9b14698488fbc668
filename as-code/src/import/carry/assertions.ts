/** Assertions of HTTP checks, as several tools mean them. Pure. */

/** An assertion, not validated yet. */
export type DraftAssertion = Readonly<Record<string, unknown>>;

/** Accepted status codes, ends included. */
export interface StatusRange {
  min: number;
  max: number;
}

/** The status is, is not, is below or is above a number. */
export const status = {
  is: (value: number): DraftAssertion => ({ type: "status_code", value }),
  isNot: (value: number): DraftAssertion => ({ type: "status_code", operator: "not_equals", value }),
  below: (value: number): DraftAssertion => ({ type: "status_code", operator: "less_than", value }),
  above: (value: number): DraftAssertion => ({ type: "status_code", operator: "greater_than", value }),
};

/** The status lies within a range. */
export function statusWithin({ min, max }: StatusRange): DraftAssertion[] {
  return min === max ? [status.is(min)] : [status.above(min - 1), status.below(max + 1)];
}

/**
 * The status is one of several, which no assertion can say unless they follow each other.
 * @returns the assertions, and the range that they accept where it is wider than what was listed
 */
export function statusAmong(ranges: readonly StatusRange[]): {
  assertions: DraftAssertion[];
  wider: StatusRange | undefined;
} {
  const sorted = [...ranges].sort((a, b) => a.min - b.min);
  const [first] = sorted;
  if (!first) return { assertions: [], wider: undefined };
  const whole = { ...first };
  let hasGap = false;
  for (const { min, max } of sorted.slice(1)) {
    hasGap ||= min > whole.max + 1;
    whole.max = Math.max(whole.max, max);
  }
  return { assertions: statusWithin(whole), wider: hasGap ? whole : undefined };
}

/** The response took at most so many milliseconds. */
export function respondsWithin(ms: number): DraftAssertion {
  return { type: "response_time", max: ms };
}

/** The certificate is valid for more than so many days. */
export function certificateLasts(days: number): DraftAssertion {
  return { type: "ssl_expiry", daysBeforeExpiry: days };
}

/** Assertions about the body as a text. */
export const body = {
  contains: (value: string): DraftAssertion => ({ type: "body_contains", value }),
  lacks: (value: string): DraftAssertion => body.lacksMatch(escapedForPattern(value)),
  is: (value: string): DraftAssertion => body.matches(`^${escapedForPattern(value)}$`),
  matches: (pattern: string): DraftAssertion => ({ type: "body_matches", pattern }),
  /** No part of the body matches. */
  lacksMatch: (pattern: string): DraftAssertion => body.matches(`^(?![\\s\\S]*(?:${pattern}))`),
};

/** Assertions about the value at a path of a JSON body. */
export const json = {
  is: (path: string, value: unknown): DraftAssertion => ({ type: "body_json_path", path, value }),
  isNot: (path: string, value: unknown): DraftAssertion => ({
    type: "body_json_path",
    path,
    operator: "not_equals",
    value,
  }),
  contains: (path: string, value: unknown): DraftAssertion => ({
    type: "body_json_path",
    path,
    operator: "contains",
    value,
  }),
  exists: (path: string): DraftAssertion => ({ type: "body_json_path", path, operator: "exists" }),
};

/** Assertions about a header of the response. */
export const header = {
  is: (name: string, value: string): DraftAssertion => ({ type: "header_value", header: name, value }),
  contains: (name: string, value: string): DraftAssertion => ({
    type: "header_value",
    header: name,
    operator: "contains",
    value,
  }),
  exists: (name: string): DraftAssertion => ({ type: "header_value", header: name, operator: "exists" }),
};

/** Returns a text as a pattern that matches it alone. */
export function escapedForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
