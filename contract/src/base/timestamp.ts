import * as z from "zod";

/** An instant in answers: ISO 8601 in UTC, with milliseconds. */
export const timestampSchema = z.string().meta({ format: "date-time" });
