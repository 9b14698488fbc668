/** The coverage of all checks of a team: how many of their slots have a result, and why others have none, by location. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { MISSING_REASONS } from "./coverage.ts";

const count = z.number().int().min(0);

/** Reason why a slot of many has no result; not_explained: of very many, only some are explained. */
export const countedReasonSchema = z.enum([...MISSING_REASONS, "not_explained"]);

/** Schema of the coverage of all checks of a team. */
export const teamCoverageSchema = z
  .object({
    asOf: timestampSchema.describe(
      "When the slots were counted: up to 5 s ago, and up to a minute for teams of more than 500 checks.",
    ),
    from: timestampSchema,
    to: timestampSchema,
    locations: z
      .array(
        z.object({
          locationId: idSchema("location"),
          expected: count.describe("Slots of all checks that were due here in the range."),
          received: count.describe("Slots among them that have a result."),
          missingCount: count,
          missing: z
            .array(z.object({ reason: countedReasonSchema, count }))
            .describe("Slots without a result by reason, most first."),
        }),
      )
      .describe("Locations where a slot was due, those with most missing slots first."),
  })
  .meta({ id: "TeamCoverage" });
/** The slots of all checks of a team over the last day, by location. */
export type TeamCoverage = z.infer<typeof teamCoverageSchema>;
