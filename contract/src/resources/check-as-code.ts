/** A check as code: the files of a config that describes it. */
import * as z from "zod";

/** Schema of a check as code. */
export const checkAsCodeSchema = z
  .object({
    project: z.string().nullable().describe("Project whose deploy manages the check; null: none does."),
    files: z
      .array(
        z.object({
          path: z.string().describe("Relative to the folder of the config."),
          text: z.string(),
        }),
      )
      .describe("What `svc pull --monitor` writes: the config first, then the script of a scripted check."),
    secrets: z
      .array(z.string())
      .describe("Environment variables that stand for the secrets, which are not in the files."),
    reason: z
      .string()
      .nullable()
      .describe("Why no config can describe the check, which then has no files; null: one can."),
  })
  .meta({ id: "CheckAsCode" });
/** A check as code. */
export type CheckAsCode = z.infer<typeof checkAsCodeSchema>;
