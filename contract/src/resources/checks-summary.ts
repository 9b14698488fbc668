/**
 * How all checks of a team stand, in columns: the entries at one position of every list belong to one check. Lists of ten thousand
 * checks stay small that way, and hold neither configurations nor secrets.
 */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { nextCursorField } from "../base/list-page.ts";
import { severitySchema } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { checkTypes } from "../checks/registry.ts";
import { CHECK_HEALTHS } from "./check-health.ts";

/** Most checks in one answer; `nextCursor` leads to the rest. */
export const SUMMARY_CHECKS_MAX = 5_000;

const position = z.number().int().min(0);

/** Schema of how all checks of a team stand. */
export const checksSummarySchema = z
  .object({
    asOf: timestampSchema.describe("When it was made: up to a second ago."),
    locations: z
      .array(idSchema("location"))
      .describe("Locations of the checks, named below by their positions here."),
    labels: z.array(z.string()).describe("Labels of the checks, named below by their positions here."),
    projects: z
      .array(z.string())
      .describe("Projects that deployed the checks, named below by their positions here."),
    ids: z.array(idSchema("check")),
    names: z.array(z.string()),
    types: z.array(z.enum(checkTypes.types)),
    enabled: z.array(z.boolean()),
    frequencySeconds: z.array(z.number().int()),
    locationsOf: z.array(z.array(position)),
    labelsOf: z.array(z.array(position)),
    projectOf: z.array(position.nullable()).describe("null: no deploy manages the check."),
    health: z.array(z.enum(CHECK_HEALTHS)),
    failing: z.array(z.array(position)).describe("Locations where the newest result is no success."),
    newestSlotMs: z
      .array(z.number().int().nullable())
      .describe("Slot of the newest result, Unix ms; null: no recent one."),
    responseTimeMs: z.array(z.number().nullable()).describe("Of the newest result."),
    availability24hBp: z
      .array(z.number().int().nullable())
      .describe(
        "Successes among the results of the last 24 whole hours, in basis points; null: there are none.",
      ),
    openSeverity: z.array(severitySchema.nullable()).describe("The highest one of the check's open alerts."),
    ...nextCursorField,
  })
  .meta({ id: "ChecksSummary" });
/** How all checks of a team stand, in columns. */
export type ChecksSummary = z.output<typeof checksSummarySchema>;
