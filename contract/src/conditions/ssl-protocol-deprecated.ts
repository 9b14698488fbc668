import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { sslSeveritySchema } from "./fields.ts";

/** The negotiated TLS version is older than `minProtocol`. */
export const sslProtocolDeprecatedSchema = closedObject({
  type: z.literal("ssl_protocol_deprecated"),
  minProtocol: z.enum(["TLSv1.2", "TLSv1.3"]).default("TLSv1.2"),
  severity: sslSeveritySchema,
});
