import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { sslSeveritySchema } from "./fields.ts";

/** Holds when the certificate is another one than at the run before. */
export const sslCertificateChangedCondition = defineCondition(
  closedObject({
    type: z.literal("ssl_certificate_changed"),
    severity: sslSeveritySchema,
  }),
  {
    fields: "`severity`",
    holdsWhen: "the fingerprint differs from that of the run before at the same location",
    severity: "as set, else critical",
    subject: "certificate",
    needs: () => "certificate",
  },
);
