import * as z from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./time.ts";

/** Schema of a time of the day on a wall clock: `HH:MM`. */
export const timeOfDaySchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "expected a time of the day from 00:00 to 23:59, such as 22:00");

/** Returns the ms from midnight to a time of the day, `HH:MM`. */
export function timeOfDayMs(text: string): number {
  const [hours, minutes] = text.split(":").map(Number);
  return (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) % DAY_MS;
}
