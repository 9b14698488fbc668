/**
 * Third-party patterns: which hosts the pages of browser checks depend on. An SLO may be about the requests to such
 * hosts.
 */
import * as z from "zod";
import { hostPatternSchema } from "../base/host-pattern.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Fields of a pattern that a caller writes, with their rules. */
const writtenFields = {
  name: nameSchema({ charactersMax: 255 }).describe("Unique within the team."),
  hostPattern: hostPatternSchema.describe(
    "A host, or `*.` and a domain for every host below the domain. Stored in lower case, IDNA in ASCII.",
  ),
};

/** Body of POST /api/third-party-patterns. */
export const createThirdPartyPatternSchema = closedObject({
  ...writtenFields,
  id: readOnlyField,
  createdAt: readOnlyField,
});
/** A third-party pattern to create, as its schema parses it. */
export type CreateThirdPartyPattern = z.infer<typeof createThirdPartyPatternSchema>;

/** Schema of a third-party pattern as the API answers it. A pattern can't be changed: SLOs are counted by it. */
export const thirdPartyPatternSchema = z
  .object({
    id: idSchema("thirdPartyPattern"),
    name: z.string(),
    hostPattern: z.string(),
    createdAt: timestampSchema.describe("Requests are counted from here on."),
  })
  .meta({ id: "ThirdPartyPattern" });
/** A third-party pattern as the API answers it. */
export type ThirdPartyPattern = z.infer<typeof thirdPartyPatternSchema>;
