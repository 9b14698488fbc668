import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { sslSeveritySchema } from "./fields.ts";

/** Holds when the certificate leads to no trusted root. */
export const sslSelfSignedCondition = defineCondition(
  closedObject({
    type: z.literal("ssl_self_signed"),
    severity: sslSeveritySchema,
  }),
  {
    fields: "`severity`",
    holdsWhen:
      "the certificate is self-signed, or leads to no trusted root (expiry or a wrong name are not meant)",
    severity: "as set, else critical",
    subject: "certificate",
    needs: () => "certificate",
  },
);
