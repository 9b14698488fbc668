/** Answers that several routes give, for their schemas. */
import { z } from "zod";

/** Body of every error answer. */
export const errorEnvelopeSchema = z
  .object({
    error: z.string(),
    code: z.string().optional(),
    details: z
      .object({ fieldErrors: z.record(z.string(), z.array(z.string())), formErrors: z.array(z.string()) })
      .optional(),
  })
  .meta({ id: "Error" });

export const successSchema = z.object({ success: z.literal(true) });

/** The error answers a route can give, for its `schema.response`: `errorResponses(400, 404)`. */
export function errorResponses<Status extends number>(...statuses: Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, errorEnvelopeSchema])) as Record<
    Status,
    typeof errorEnvelopeSchema
  >;
}
