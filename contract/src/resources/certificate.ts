/** The TLS certificate of a host, as the locations of one check see it. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";

const sightingSchema = z.object({
  locationId: idSchema("location"),
  fingerprintSha256: z.string(),
  subject: z.string(),
  issuer: z.string(),
  validFrom: timestampSchema,
  validTo: timestampSchema,
  isTrusted: z.boolean().describe("The chain leads to a root that the runner trusts, and names the host."),
  trustError: z.string().optional().describe("Why it is not trusted."),
  isSelfSigned: z.boolean(),
  protocol: z.string().describe("Of the connection, such as `TLSv1.3`."),
  changedAt: timestampSchema.describe(
    "Slot of the first run that saw this certificate and this kind of connection.",
  ),
});

/** Schema of the certificate of a host as one check sees it. */
export const certificateSchema = z
  .object({
    checkId: idSchema("check"),
    checkName: z.string(),
    host: z.string(),
    expiresAt: timestampSchema.describe("The earliest end among the sightings."),
    daysLeft: z.number().describe("Whole days until then; negative: it ended."),
    sightings: z
      .array(sightingSchema)
      .describe("What each location of the check saw last, in no particular order."),
  })
  .meta({ id: "Certificate" });
/** The certificate of a host as one check sees it. */
export type Certificate = z.infer<typeof certificateSchema>;
