/** Parsers of flag values that several commands share: from the typed text to a value, or a CliError that names the flag. */
import { durationSeconds } from "@svc/contract";
import { generalError } from "./cli-error.ts";

/** Returns a parser of whole numbers from `min` to `max`. */
export function wholeNumber(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw generalError(`${flag} is "${text}"; expected a whole number ${bounds}`);
  };
}

interface DurationBounds {
  min: string;
  max: string;
  /** Letters of the units that may be typed. */
  units?: string;
}

/**
 * Returns a parser of durations like `30s`, `5m`, `1h`.
 * @returns a parser whose value is in seconds
 */
export function duration(
  flag: string,
  { min, max, units = "smh" }: DurationBounds,
): (text: string) => number {
  const [minSeconds, maxSeconds] = [durationSeconds(min, "smhd"), durationSeconds(max, "smhd")] as number[];
  return (text) => {
    const seconds = durationSeconds(text, units);
    if (seconds !== undefined && seconds >= (minSeconds ?? 0) && seconds <= (maxSeconds ?? 0)) return seconds;
    throw generalError(`${flag} is "${text}"; expected a duration from ${min} to ${max}, for example 5m`);
  };
}

/** Parses the frequency of a monitor, into seconds. */
export const frequency = duration("--frequency", { min: "10s", max: "24h" });

/** Splits `a, b,c` into a list without empty entries. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Returns a parser of comma-separated lists of some of `known`. */
export function someOf<T extends string>(flag: string, known: readonly T[]): (text: string) => T[] {
  return (text) => {
    const values = commaList(text);
    const unknown = values.find((value) => !(known as readonly string[]).includes(value));
    if (values.length > 0 && unknown === undefined) return values as T[];
    throw generalError(`${flag} is "${text}"; expected some of ${known.join(", ")}`);
  };
}
