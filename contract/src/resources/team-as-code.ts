/** A team's checks, rules, channels and SLOs as code: the files of a config that describes them. */
import * as z from "zod";
import { checkAsCodeSchema } from "./check-as-code.ts";

/** Most checks that the service writes as one config; the command line writes any number. */
export const EXPORTED_CHECKS_MAX = 500;

/** Most checks that a request for a selection may name. */
export const SELECTED_CHECKS_MAX = 100;

/** Schema of what a team has as code. */
export const teamAsCodeSchema = checkAsCodeSchema
  .pick({ files: true, secrets: true })
  .extend({
    unmanaged: z
      .array(
        z.object({
          kind: z.enum(["check", "slo", "status_page"]),
          id: z.string(),
          name: z.string(),
          reason: z.string(),
        }),
      )
      .describe("Records that no config can describe, and that a deploy leaves alone."),
    reason: z.string().nullable().describe("Why there are no files; null: there are."),
  })
  .meta({ id: "TeamAsCode" });
/** What a team has, as code. */
export type TeamAsCode = z.infer<typeof teamAsCodeSchema>;
