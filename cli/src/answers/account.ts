/** Answers of the commands about the account and the tool itself. */
import * as z from "zod";
import type { Answers } from "./answers.ts";

const credentialsPath = z.string();

/** Answers of `svc login`. */
export const login: Answers = {
  data: z.union([
    z.object({
      apiUrl: z.string(),
      credentialsPath,
      createdAt: z.string().meta({ format: "date-time" }).describe("When the key was made."),
    }),
    z.object({ alreadyLoggedIn: z.literal(true), credentialsPath }),
  ]),
};

/** Answers of `svc logout`. */
export const logout: Answers = {
  data: z.object({
    removed: z.boolean(),
    revoked: z.boolean(),
    revokeError: z.string().nullable().describe("Why the key may still be valid; null: no reason is known."),
    credentialsPath,
    alreadyLoggedOut: z.literal(true).optional().describe("Present when there was no file."),
  }),
};

/** Answers of `svc keys`. */
export const keys: Answers = { data: z.object({ message: z.string(), dashboardUrl: z.string() }) };

/** Answers of `svc completions`. */
export const completions: Answers = { data: z.object({ shell: z.string(), script: z.string() }) };

/** Answers of `svc complete`, which completion scripts run. */
export const complete: Answers = { data: z.object({ candidates: z.array(z.string()) }) };

/** Answers of `svc api`. */
export const api: Answers = { data: z.unknown().describe("the answer of the service") };

/** Answers of `svc schema`. */
export const schema: Answers = {
  data: z.union([
    z.object({
      commands: z.array(
        z.object({
          command: z.string().describe("The words of the command."),
          summary: z.string(),
          output: z
            .enum(["object", "lines", "object_or_lines"])
            .describe("One object, or an object a line until the command ends; both where a flag decides."),
        }),
      ),
    }),
    z.object({
      command: z.string(),
      output: z.enum(["object", "lines", "object_or_lines"]),
      schema: z.record(z.string(), z.unknown()).describe("JSON Schema, draft 2020-12."),
    }),
  ]),
};
