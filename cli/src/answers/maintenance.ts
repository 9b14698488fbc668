/** Answers of `svc maintenance`. */
import { maintenanceWindowSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

/** Answers of `svc maintenance list`. */
export const maintenanceList: Answers = {
  data: z.object({ maintenanceWindows: z.array(maintenanceWindowSchema) }),
};

/** Answers of `svc maintenance get` and `create`. */
export const maintenanceOne: Answers = { data: z.object({ maintenanceWindow: maintenanceWindowSchema }) };

/** Answers of `svc maintenance edit`. */
export const maintenanceEdit: Answers = {
  data: z.object({ maintenanceWindow: maintenanceWindowSchema, ...changedField }),
  details: fragmentDetails,
};
