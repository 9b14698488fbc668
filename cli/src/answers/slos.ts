/** Answers of `svc slos`. */
import { sloSchema, sloStatusSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

/** Answers of `svc slos list`. */
export const slosList: Answers = { data: z.object({ slos: z.array(sloSchema) }) };

/** Answers of `svc slos get`. */
export const slosGet: Answers = { data: z.object({ slo: sloSchema }) };

/** Answers of `svc slos create`. */
export const slosCreate: Answers = { data: z.object({ slo: sloSchema }), details: fragmentDetails };

/** Answers of `svc slos edit`. */
export const slosEdit: Answers = {
  data: z.object({ slo: sloSchema, ...changedField }),
  details: fragmentDetails,
};

/** Answers of `svc slos status`. */
export const slosStatus: Answers = { data: z.object({ status: sloStatusSchema }) };
