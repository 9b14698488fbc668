import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { sslSeveritySchema } from "./fields.ts";

/** The leaf certificate ends within `daysBeforeExpiry` days. */
export const sslExpiryConditionSchema = closedObject({
  type: z.literal("ssl_expiry"),
  daysBeforeExpiry: z.number().min(1, "smallest is 1").max(3650, "largest is 3650").default(14),
  severity: sslSeveritySchema,
});
