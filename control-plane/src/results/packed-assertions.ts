/**
 * The short form in which a success stores the results of its assertions. One success of an hour keeps them, so that with 60 s
 * between runs a row of 300 bytes costs 5 bytes of each success. The objects of the API would take twice that.
 */
import type { AssertionResult } from "@svc/contract";

/** Field of a stored detail that holds the short form. */
export const PACKED_FIELD = "passed";

/** Longest text that is stored of an expected or actual value, characters; failures keep more. */
const TEXT_LENGTH_MAX = 40;

/** One assertion that passed: type, expected and actual value; the actual one is left out where it is the expected one. */
type Packed = [type: string, expected: unknown, actual?: unknown];

/** Returns the short form of results that all passed; undefined when one did not, which is stored as it is. */
export function packAssertions(results: readonly AssertionResult[]): string | undefined {
  if (!results.every(({ passed }) => passed)) return undefined;
  const packed = results.map(({ type, expected, actual }): Packed => {
    const [wanted, found] = [shortened(expected), shortened(actual)];
    return wanted === found ? [type, wanted] : [type, wanted, found];
  });
  return JSON.stringify(packed);
}

/** Returns the results that a short form stands for. */
export function unpackAssertions(packed: string): AssertionResult[] {
  return (JSON.parse(packed) as Packed[]).map(([type, expected, ...rest]) => ({
    type,
    passed: true,
    expected,
    actual: rest.length === 0 ? expected : rest[0],
  }));
}

/** Returns a value that takes few bytes: of long texts, lists and objects the beginning. */
function shortened(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" && typeof value !== "object") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= TEXT_LENGTH_MAX ? value : `${text.slice(0, TEXT_LENGTH_MAX).toWellFormed()}...`;
}
