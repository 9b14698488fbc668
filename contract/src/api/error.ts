/** Body of every answer that reports an error. */
import * as z from "zod";

const validationDetailsSchema = z.object({
  fieldErrors: z.record(z.string(), z.array(z.string())),
  formErrors: z.array(z.string()),
});

/** Schema of the body of an error answer; `details` comes with 400 alone. */
export const errorSchema = z
  .object({
    error: z.string().describe("A sentence about what is wrong."),
    code: z.string().optional(),
    details: validationDetailsSchema.optional(),
  })
  .meta({ id: "Error" });
