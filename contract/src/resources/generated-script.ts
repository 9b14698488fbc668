/** Scripts of browser checks that a language model writes from a description, and that are tried before anybody sees them. */
import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Longest that a generation takes, s, and how often a draft that fails is repaired. */
export const SCRIPT_GENERATION_LIMITS = { secondsMax: 120, repairsMax: 2 } as const;

/** Schema of the description that something is generated from. */
export const descriptionSchema = z
  .string()
  .trim()
  .min(10, "a description has at least 10 characters")
  .max(16_384, "a description has at most 16384 characters");

/** Fields of the body that asks for a script. */
export const scriptRequestFields = {
  description: descriptionSchema,
  targetUrl: httpUrlSchema
    .optional()
    .describe("The page that the script begins with; absent: the first URL of the description."),
  previousScript: z
    .string()
    .min(1)
    .max(512 * 1024, "a script has at most 524288 characters")
    .optional(),
  refinement: z.string().min(1).max(16_384, "at most 16384 characters").optional(),
  locationId: idSchema("location")
    .optional()
    .describe("Where the draft is tried; absent: the first location with a runner that can."),
  allowWrites: z
    .boolean()
    .default(false)
    .describe(
      "Lets requests other than GET, HEAD and OPTIONS through while the draft is tried, to the target's origin alone. What they change stays changed.",
    ),
};

/** Outcomes of the try of a draft. */
const VERIFICATION_STATUSES = ["passed", "failed", "not_run"] as const;

/** Schema of how a generated script was tried. */
const verificationSchema = z.object({
  status: z.enum(VERIFICATION_STATUSES),
  problem: z.string().nullable().describe("Why it failed or was not run; null when it passed."),
  notes: z.array(z.string()).describe("What the run said besides, such as requests that were refused."),
  screenshots: z
    .array(z.object({ step: z.string().nullable(), path: z.string() }))
    .describe("Pictures of the page. Fetch each by its path, with your credential, within 15 minutes."),
  testRunUrl: z.string().nullable().describe("The test run, for 15 minutes; null when there was none."),
});

/** Schema of a script that a language model wrote. */
export const generatedScriptSchema = z
  .object({
    mode: z.literal("playwright"),
    script: z.string(),
    description: z.string(),
    model: z.string(),
    steps: z.array(z.string()).describe("Names of the script's steps, in their order."),
    verified: verificationSchema,
  })
  .meta({ id: "GeneratedScript" });
/** A script that a language model wrote, and how it was tried. */
export type GeneratedScript = z.infer<typeof generatedScriptSchema>;

/** Parts of a generation that its reader is informed of. */
const GENERATION_PHASES = ["looking", "writing", "trying", "repairing"] as const;

/** Schema of where a generation is. */
const progressSchema = z.object({
  phase: z.enum(GENERATION_PHASES),
  attempt: z.int().min(0).describe("Number of the draft, from 1; 0 before there is one."),
  problem: z.string().nullable().describe("Why the draft before failed; null while none has."),
  at: timestampSchema,
});
/** Schema of why a generation came to nothing. */
const failureSchema = z.object({
  error: z.string(),
  status: z.int().describe("The status that an answer without a stream would have."),
  retryAfterSeconds: z
    .int()
    .optional()
    .describe("Seconds after which another try makes sense; absent: not known."),
});

/** An event of a generation: where it is, and at last its answer or error. */
export type ScriptGenerationEvent =
  | { name: "progress"; data: z.infer<typeof progressSchema> }
  | { name: "result"; data: GeneratedScript }
  | { name: "error"; data: z.infer<typeof failureSchema> };

/** Schema of the data of all events of a generation, for the API reference. */
export const scriptGenerationDataSchema = z.union([progressSchema, generatedScriptSchema, failureSchema]);
