/** A record other than a check as code: the files of a config that describes it, with what it refers to. */
import type * as z from "zod";
import { checkAsCodeSchema } from "./check-as-code.ts";

/** Schema of an SLO, a channel, a maintenance window or an alert rule as code. */
export const recordAsCodeSchema = checkAsCodeSchema
  .extend({
    project: checkAsCodeSchema.shape.project.describe(
      "Project whose deploy manages the record; null: none does.",
    ),
    files: checkAsCodeSchema.shape.files.describe(
      "The config first, which `svc validate` accepts by itself: the record, and the monitors, channels and third-party patterns that it refers to. Scripts come after it.",
    ),
    reason: checkAsCodeSchema.shape.reason.describe(
      "Why no config can describe the record, which then has no files; null: one can.",
    ),
    note: checkAsCodeSchema.shape.reason.describe(
      "What to know before the files are deployed by themselves; null: a deploy of them changes nothing.",
    ),
  })
  .meta({ id: "RecordAsCode" });
/** A record as code. */
export type RecordAsCode = z.infer<typeof recordAsCodeSchema>;
