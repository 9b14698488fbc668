/** Values of flags that several commands take, from the text that was typed. */
import { durationSeconds } from "@svc/contract";
import { generalError } from "./cli-error.ts";

/** A whole number within bounds. */
export function wholeNumber(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw generalError(`${flag} is "${text}"; expected a whole number ${bounds}`);
  };
}

/** A duration like `30s`, `5m`, `1h` within bounds. @returns seconds */
export function duration(flag: string, min: string, max: string, units = "smh"): (text: string) => number {
  const [minSeconds, maxSeconds] = [durationSeconds(min, "smhd"), durationSeconds(max, "smhd")] as number[];
  return (text) => {
    const seconds = durationSeconds(text, units);
    if (seconds !== undefined && seconds >= (minSeconds ?? 0) && seconds <= (maxSeconds ?? 0)) return seconds;
    throw generalError(`${flag} is "${text}"; expected a duration from ${min} to ${max}, for example 5m`);
  };
}

/** Frequency of a monitor. @returns seconds */
export const frequency = duration("--frequency", "10s", "24h");

/** `a, b,c` as a list without empty entries. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** A comma-separated list of some of `known`. */
export function someOf<T extends string>(flag: string, known: readonly T[]): (text: string) => T[] {
  return (text) => {
    const values = commaList(text);
    const unknown = values.find((value) => !(known as readonly string[]).includes(value));
    if (values.length > 0 && unknown === undefined) return values as T[];
    throw generalError(`${flag} is "${text}"; expected some of ${known.join(", ")}`);
  };
}
