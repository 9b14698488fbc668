import * as z from "zod";
import { assertionSubjectOf } from "../assertions/registry.ts";
import { headerNameSchema } from "../base/fields.ts";
import { mayHaveBody } from "../base/http-methods.ts";
import { JsonPathError, jsonPathSteps } from "../base/json-path.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { validRegularExpression } from "../base/regular-expression.ts";
import { certificatesWhereNeeded, isNeverSecure } from "./certificates-where-needed.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { certificateFields, certificateWithKey } from "./host-fields.ts";
import { multistepDetailFields } from "./multistep-detail.ts";
import { capturingGroups } from "./multistep-groups.ts";
import { knownReferences } from "./multistep-references.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { requestFields, responseAssertionsSchema } from "./request-fields.ts";
import { valueNameSchema } from "./step-values.ts";

/** Most steps of a run. */
const STEPS_MAX = 20;
/** Most assertions of all steps of a check. */
const ASSERTIONS_MAX = 100;

const extractedFields = {
  name: valueNameSchema.describe("Later steps write {{values.NAME}} for the value."),
  secret: z
    .boolean()
    .default(false)
    .describe("Hide the value in results. One whose source or use is that of a credential is hidden anyway."),
};
const patternFields = {
  pattern: z
    .string()
    .min(1, "a pattern has at least one character")
    .max(16_384, "a pattern has at most 16384 characters")
    .superRefine(validRegularExpression)
    .describe("JavaScript regular expression."),
  group: z
    .int()
    .min(0, "smallest is 0")
    .max(99, "largest is 99")
    .default(0)
    .describe("The group of the pattern that is the value; 0: the whole match."),
};

/** A value that a step extracts from its response. */
const extractSchema = z.discriminatedUnion("from", [
  closedObject({
    from: z.literal("json_path"),
    path: z
      .string()
      .min(1)
      .max(4096)
      .superRefine(supportedPath)
      .describe('Dot notation, [0] and ["quoted key"] in a JSON body; a leading $ means the root.'),
    ...extractedFields,
  }),
  closedObject({
    from: z.literal("header"),
    header: headerNameSchema,
    pattern: patternFields.pattern
      .optional()
      .describe("JavaScript regular expression whose match in the header is the value; absent: all of it."),
    group: patternFields.group,
    ...extractedFields,
  }).superRefine(hasGroup),
  closedObject({ from: z.literal("regex"), ...patternFields, ...extractedFields }).superRefine(hasGroup),
  closedObject({ from: z.literal("status"), ...extractedFields }),
]);

function supportedPath(path: string, context: z.RefinementCtx): void {
  try {
    jsonPathSteps(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}

function hasGroup(
  { pattern, group }: { pattern?: string | undefined; group: number },
  context: z.RefinementCtx,
): void {
  const groups = pattern === undefined ? 0 : capturingGroups(pattern);
  if (group <= groups) return;
  const message =
    pattern === undefined ? "group is that of a pattern; give one" : `the pattern has ${groups} groups`;
  context.addIssue({ code: "custom", path: ["group"], message });
}

const stepSchema = closedObject({
  name: z.string().min(1, "a step has a name").max(255, "a name has at most 255 characters"),
  ...requestFields,
  assertions: responseAssertionsSchema,
  extract: z.array(extractSchema).max(20, "at most 20 values").default([]),
});

const configFields = closedObject({
  steps: z
    .array(stepSchema)
    .min(1, "at least one step")
    .max(STEPS_MAX, `at most ${STEPS_MAX} steps`)
    .describe("Requests that are sent one after the other; the first that does not succeed ends the run."),
  timeoutMs: z
    .int()
    .min(1, "smallest is 1")
    .max(120_000, "largest is 120000")
    .default(30_000)
    .describe("For all steps together."),
  ...certificateFields,
  ...proxyFields,
});

/** Configuration of a check of type multistep. */
const multistepConfigSchema = configFields
  .superRefine(distinctNames)
  .superRefine(fewAssertions)
  .superRefine(certificateAssertionsWhereNeeded)
  .superRefine(knownReferences)
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .superRefine((config, context) => certificatesWhereNeeded(config, config.steps, context))
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);
type MultistepConfig = z.infer<typeof configFields>;

function distinctNames({ steps }: MultistepConfig, context: z.RefinementCtx): void {
  const [stepNames, valueNames] = [new Set<string>(), new Set<string>()];
  for (const [at, { name, extract }] of steps.entries()) {
    if (stepNames.has(name))
      context.addIssue({
        code: "custom",
        path: ["steps", at, "name"],
        message: "another step has this name",
      });
    stepNames.add(name);
    for (const [index, value] of extract.entries()) {
      if (valueNames.has(value.name))
        context.addIssue({
          code: "custom",
          path: ["steps", at, "extract", index, "name"],
          message: `a value of the name ${value.name} is extracted already`,
        });
      valueNames.add(value.name);
    }
  }
}

function fewAssertions({ steps }: MultistepConfig, context: z.RefinementCtx): void {
  const count = steps.reduce((sum, { assertions }) => sum + assertions.length, 0);
  if (count > ASSERTIONS_MAX)
    context.addIssue({
      code: "custom",
      path: ["steps"],
      message: `all steps together have at most ${ASSERTIONS_MAX} assertions; these have ${count}`,
    });
}

/** Adds an issue for each assertion about the certificate of a step that never meets one. */
function certificateAssertionsWhereNeeded({ steps }: MultistepConfig, context: z.RefinementCtx): void {
  for (const [at, step] of steps.entries()) {
    if (!isNeverSecure(step)) continue;
    for (const [index, { type }] of step.assertions.entries())
      if (assertionSubjectOf(type) === "certificate")
        context.addIssue({
          code: "custom",
          path: ["steps", at, "assertions", index],
          message: `${type} is about a certificate, which there is only with an https:// URL, or behind a redirect that is followed`,
        });
  }
}

/** Several HTTP requests in turn, which pass values on. */
export const multistepCheck = defineCheckType({
  type: "multistep",
  title: "Multi-step",
  summary: "several HTTP requests in turn, which pass values on",
  configKey: "multistepConfig",
  configSchema: multistepConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  idleSettings: ({ steps }) =>
    steps.flatMap(({ name, method, body }, at) => [
      ...(name.trim() === ""
        ? [{ path: ["steps", at, "name"], message: "a name has more than spaces" }]
        : []),
      ...(body !== undefined && !mayHaveBody(method)
        ? [{ path: ["steps", at, "body"], message: `is not sent with ${method}` }]
        : []),
    ]),
  inheritedFields: ["timeoutMs"],
  secretFields: { steps: "requests", clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: {
    steps: ["proxyUrl"],
    clientKey: ["steps", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL to watch: ",
    fields: (url) => ({
      steps: [{ name: "Open", url, assertions: [{ type: "status_code", value: 200 }] }],
    }),
  },
  canRunLocally: true,
  runCost: { seconds: 2 },
  whyNoCertificate: ({ steps }) => {
    const [first] = Array.isArray(steps) ? (steps as { url?: unknown; followRedirects?: unknown }[]) : [];
    return first &&
      isNeverSecure({ url: String(first.url), followRedirects: first.followRedirects !== false })
      ? "the first step's URL begins with http:// and it follows no redirect"
      : undefined;
  },
  detailFields: multistepDetailFields,
});
