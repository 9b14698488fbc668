import * as z from "zod";

const CHARACTERS_MAX = 100;

/** Schema of the name of a time zone. */
export const timezoneSchema = z
  .string()
  .max(CHARACTERS_MAX)
  .refine(
    (name) => name.length > CHARACTERS_MAX || isTimezone(name),
    "not an IANA time zone, e.g. Europe/Berlin",
  )
  .describe("IANA time zone.");

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    // Some engines accept offsets ("+02:00"), which have no daylight saving time.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
