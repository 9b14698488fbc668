import * as z from "zod";

/** Schema of an instant in answers: ISO 8601 in UTC, with milliseconds. */
export const timestampSchema = z.string().meta({ format: "date-time" });
