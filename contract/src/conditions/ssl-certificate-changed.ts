import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { sslSeveritySchema } from "./fields.ts";

/** The leaf certificate's fingerprint differs from that of the run before. */
export const sslCertificateChangedSchema = closedObject({
  type: z.literal("ssl_certificate_changed"),
  severity: sslSeveritySchema,
});
