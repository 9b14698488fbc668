import * as z from "zod";
import { closedObject } from "../base/objects.ts";

export const sslExpirySchema = closedObject({
  type: z.literal("ssl_expiry"),
  daysBeforeExpiry: z.number().min(0, "smallest is 0").default(14),
});
