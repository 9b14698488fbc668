import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Asks that the certificate stays valid for more than `daysBeforeExpiry` days, counted from the attempt. */
export const sslExpiryAssertion = defineAssertion(
  closedObject({
    type: z.literal("ssl_expiry"),
    daysBeforeExpiry: z.number().min(0, "smallest is 0").default(14),
  }),
  {
    holdsWhen: "the certificate is valid for more than `daysBeforeExpiry` days; fails where there is none",
    subject: "certificate",
  },
);
