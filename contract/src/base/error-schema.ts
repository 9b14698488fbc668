/** Body of the REST API's error answers. */
import * as z from "zod";

const validationDetailsSchema = z.object({
  fieldErrors: z.record(z.string(), z.array(z.string())),
  formErrors: z.array(z.string()),
});

/** Schema of the body of every error answer. */
export const errorSchema = z
  .object({
    error: z.string().describe("A sentence about what is wrong."),
    code: z.string().optional(),
    details: validationDetailsSchema.optional(),
  })
  .meta({ id: "Error" });
