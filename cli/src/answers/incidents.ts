/** Answers of `svc incidents`. */
import { incidentRoutes, incidentSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { pageFields } from "./fields.ts";

/** Answers of `svc incidents list`. */
export const incidentsList: Answers = {
  data: z.object({ incidents: z.array(incidentSchema), ...pageFields }),
};

/** Answers of `svc incidents policy get` and `svc incidents policy set`. */
export const incidentsPolicy: Answers = { data: incidentRoutes.getPolicy.answer };

/** Answers of `svc incidents get`. */
export const incidentsGet: Answers = { data: incidentRoutes.get.answer };
