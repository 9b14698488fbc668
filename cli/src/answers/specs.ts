/** Answers of `svc specs`. */
import { specOperationSchema, specSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";

/** Answers of `svc specs list`. */
export const specsList: Answers = { data: z.object({ specs: z.array(specSchema) }) };

/** Answers of `svc specs get`. */
export const specsGet: Answers = {
  data: z.object({ spec: specSchema, operations: z.array(specOperationSchema) }),
};

/** Answers of `svc specs upload`. */
export const specsUpload: Answers = {
  data: z.object({ spec: specSchema, replaced: z.boolean().describe("False: it is new.") }),
};
