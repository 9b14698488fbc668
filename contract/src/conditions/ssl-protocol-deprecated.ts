import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { sslSeveritySchema } from "./fields.ts";

/** Holds when an old TLS version was negotiated. */
export const sslProtocolDeprecatedCondition = defineCondition(
  closedObject({
    type: z.literal("ssl_protocol_deprecated"),
    minProtocol: z.enum(["TLSv1.2", "TLSv1.3"]).default("TLSv1.2"),
    severity: sslSeveritySchema,
  }),
  {
    fields: "`minProtocol` (TLSv1.2), `severity`",
    holdsWhen: "a version older than `minProtocol` was negotiated",
    severity: "as set, else critical",
    subject: "certificate",
    needs: () => "certificate",
  },
);
