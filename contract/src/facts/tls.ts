/** The certificate and connection of an https run. */
import * as z from "zod";
import { timestampSchema } from "../base/timestamp.ts";
import { defineFactKind } from "./define-fact-kind.ts";

/** Facts about the certificate and connection of an https run; sent and stored only when they change. */
const tlsFactsSchema = z.object({
  host: z.string(),
  fingerprintSha256: z.string(),
  issuer: z.string(),
  subject: z.string(),
  subjectAltNames: z.array(z.string()),
  validFrom: timestampSchema,
  validTo: timestampSchema,
  isTrusted: z.boolean(),
  trustError: z.string().optional(),
  isSelfSigned: z.boolean(),
  protocol: z.string(),
  cipher: z.string(),
});
/** The leaf certificate and the connection of one https run. */
export type TlsFacts = z.infer<typeof tlsFactsSchema>;

/** The fact kind of TLS chains. */
export const tlsFact = defineFactKind({
  type: "tls",
  schema: tlsFactsSchema,
  description: "The certificate and connection of an https run.",
});
