import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { sslSeveritySchema } from "./fields.ts";

/** The certificate is self-signed or leads to a root that is not trusted. */
export const sslSelfSignedSchema = closedObject({
  type: z.literal("ssl_self_signed"),
  severity: sslSeveritySchema,
});
