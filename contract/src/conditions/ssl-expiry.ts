import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { sslSeveritySchema } from "./fields.ts";

/** Holds when the certificate ends soon. */
export const sslExpiryCondition = defineCondition(
  closedObject({
    type: z.literal("ssl_expiry"),
    daysBeforeExpiry: z.number().min(1, "smallest is 1").max(3650, "largest is 3650").default(14),
    severity: sslSeveritySchema,
  }),
  {
    fields: "`daysBeforeExpiry` (14), `severity`",
    holdsWhen: "the leaf certificate ends within `daysBeforeExpiry` days, as any location sees it",
    severity: "as set, else critical; critical in the last 3 days (or the last half of a shorter notice)",
    subject: "certificate",
    needs: () => "certificate",
  },
);
