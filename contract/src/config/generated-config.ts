/** Parts of a config that a language model proposes for a description, and that nothing applies but a deploy. */
import * as z from "zod";
import { descriptionSchema } from "../resources/generated-script.ts";
import { DEPLOYED_KINDS } from "./deploy-baseline.ts";

/** How often a proposal that is not valid is repaired. */
export const CONFIG_REPAIRS_MAX = 2;

/** Body of POST /api/generate. */
export const generateConfigSchema = z.object({ description: descriptionSchema });
/** A request for a proposal. */
export type GenerateConfig = z.infer<typeof generateConfigSchema>;

const countSchema = z.int().nonnegative();

const proposedChangeSchema = z.object({
  type: z.enum(["create", "update", "delete", "unchanged"]),
  kind: z.enum(DEPLOYED_KINDS),
  name: z.string().describe("Its name in the config; of an alert rule, with its monitor's."),
  remoteId: z.string().nullable().describe("Id of the record; null: it is created."),
  fieldChanges: z.array(
    z.object({
      field: z.string(),
      oldValue: z.unknown().optional().describe("Absent: the field was not set."),
      newValue: z.unknown().optional().describe("Absent: the field is removed."),
      redacted: z.literal(true).optional().describe("Both values are hidden."),
    }),
  ),
});

/** Schema of a proposal as the API answers it. */
export const generatedConfigSchema = z
  .object({
    description: z.string(),
    model: z.string(),
    config: z
      .string()
      .describe("YAML, as svc.config.yaml has it. It passes `svc validate` once its scripts lie beside it."),
    scripts: z
      .array(z.object({ path: z.string(), text: z.string() }))
      .describe("Scripts of the existing monitors in it, by their paths beside the config."),
    secrets: z
      .array(z.string())
      .describe("Environment variables that a deploy needs; what they stand for is not in the answer."),
    explanation: z.string().describe("The model's own words on what it proposes."),
    warnings: z
      .array(z.string())
      .describe("Wishes that it could not meet, and facts to know before a deploy."),
    plan: z
      .object({
        summary: z.object({
          create: countSchema,
          update: countSchema,
          delete: countSchema,
          unchanged: countSchema,
        }),
        changes: z.array(proposedChangeSchema),
      })
      .nullable()
      .describe("What a deploy would change, nothing of it applied; null: the team has too much to compare."),
  })
  .meta({ id: "GeneratedConfig" });
/** A proposal. */
export type GeneratedConfig = z.infer<typeof generatedConfigSchema>;
