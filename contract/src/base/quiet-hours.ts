/** Quiet hours: a part of every day, on the wall clock of a time zone, in which a channel sends nothing. */
import * as z from "zod";
import { closedObject } from "./objects.ts";
import { timeOfDaySchema } from "./time-of-day-schema.ts";
import { timezoneSchema } from "./timezone-schema.ts";

/** Schema of the quiet hours of a channel. A `from` that is later than `to` spans midnight. */
export const quietHoursSchema = closedObject({
  from: timeOfDaySchema.describe("First minute of quiet, on the zone's wall clock, such as 22:00."),
  to: timeOfDaySchema.describe(
    "First minute after it, such as 07:00; of the next day when it is earlier than from.",
  ),
  timezone: timezoneSchema,
  exceptCritical: z
    .boolean()
    .optional()
    .describe("true: what is critical is sent at once. Default false: it is held, too."),
})
  .refine(({ from, to }) => from !== to, {
    path: ["to"],
    error: "from and to are equal; expected a later time, or an earlier one for a night",
  })
  .describe(
    "A part of each day in which messages are held; they are sent at its end when the matter is still open.",
  );
/** The quiet hours of a channel. */
export type QuietHours = z.infer<typeof quietHoursSchema>;
