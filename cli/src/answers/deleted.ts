/** Answers of the commands that delete one resource. */
import * as z from "zod";
import type { Answers } from "./answers.ts";

/** Answers of `svc ... delete`. */
export const deleted: Answers = {
  data: z.object({
    deleted: z.literal(true),
    id: z.string(),
    name: z.string().nullable().describe("null: it had none."),
  }),
};
