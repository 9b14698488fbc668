/** Answers of `svc secrets`. */
import { secretSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";

/** Answers of `svc secrets list`. */
export const secretsList: Answers = { data: z.object({ secrets: z.array(secretSchema) }) };

/** Answers of `svc secrets set`. */
export const secretsSet: Answers = {
  data: z.object({ secret: secretSchema, created: z.boolean().describe("False: it has another value now.") }),
};
