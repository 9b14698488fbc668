/** API specs: OpenAPI documents that responses are validated against and checks are generated from. */
import * as z from "zod";
import { httpUrlSchema, uniqueItems } from "../base/fields.ts";
import { HTTP_METHODS } from "../base/http-methods.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { vaultNameSchema } from "../base/vault.ts";
import { checkLocationsSchema, checkSchema, frequencySecondsSchema } from "./check.ts";
import { scriptRequestFields } from "./generated-script.ts";

/** Size of the largest document, in bytes of UTF-8. */
export const SPEC_CONTENT_BYTES_MAX = 10 * 1024 * 1024;
/** Number of checks that one request may generate without `confirm`. */
export const GENERATED_CHECKS_UNCONFIRMED_MAX = 50;

/** Origins of the document of an API spec. */
const SPEC_SOURCE_TYPES = ["upload", "url"] as const;
/** Origin of the document of an API spec. */
export type SpecSourceType = (typeof SPEC_SOURCE_TYPES)[number];

/** Schema of the name of an API spec. */
const specNameSchema = nameSchema({ charactersMax: 255, isTrimmed: true });

/** Schema of the URL of a document. Refuses credentials in the URL because everybody who reads the spec would see them. */
const specUrlSchema = httpUrlSchema.refine((text) => {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}, "a URL with a user name or password is not allowed");

const readOnlyFields = {
  id: readOnlyField,
  title: readOnlyField,
  version: readOnlyField,
  openapiVersion: readOnlyField,
  operationCount: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/**
 * Returns the schemas of the bodies that carry a document.
 * @param content schema of the document, which is text or the uploaded bytes
 */
export function specBodySchemas<Content extends z.ZodType>(content: Content) {
  return {
    create: z.discriminatedUnion("sourceType", [
      closedObject(
        { sourceType: z.literal("upload"), name: specNameSchema.optional(), content, ...readOnlyFields },
        { sourceUrl: 'a spec with a sourceUrl has sourceType "url"' },
      ),
      closedObject(
        {
          sourceType: z.literal("url"),
          name: specNameSchema.optional(),
          sourceUrl: specUrlSchema,
          ...readOnlyFields,
        },
        { content: 'a spec with content has sourceType "upload"' },
      ),
    ]),
    update: closedObject({
      name: specNameSchema.optional(),
      sourceType: z.enum(SPEC_SOURCE_TYPES).optional(),
      content: content.optional(),
      sourceUrl: specUrlSchema.nullable().optional(),
      ...readOnlyFields,
    }),
  };
}

const documentText = z
  .string()
  .min(1, "the document is empty")
  .describe("An OpenAPI 3.0 or 3.1 document as JSON or YAML, at most 10 MiB.");

/** Body of POST /api/specs. The default name is the document's title. */
export const createSpecSchema = specBodySchemas(documentText).create;
/**
 * Body of PUT /api/specs/:id: a new name, new content, or a URL to fetch. With an empty body the service fetches the
 * document again if the spec has a URL.
 */
export const updateSpecSchema = specBodySchemas(documentText).update;

/** Schema of a spec as the API answers it. */
export const specSchema = z
  .object({
    id: idSchema("spec"),
    name: z.string().describe("Unique within the team."),
    sourceType: z.enum(SPEC_SOURCE_TYPES),
    sourceUrl: z.string().nullable(),
    title: z.string(),
    version: z.string().describe("Version of the described API, as the document states it."),
    openapiVersion: z.string(),
    operationCount: z.number(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Spec" });
/** An API spec without its document. */
export type Spec = z.infer<typeof specSchema>;

/** Schema of an operation of a spec, with the information that a call of the operation needs. */
export const specOperationSchema = z
  .object({
    method: z.string(),
    path: z.string().describe("Path template."),
    operationId: z.string().optional(),
    summary: z.string().optional(),
    deprecated: z.boolean(),
    servers: z.array(z.string()),
    parameters: z.array(
      z.object({
        name: z.string(),
        in: z.enum(["path", "query", "header", "cookie"]),
        required: z.boolean(),
        sample: z.string().optional().describe("What the document suggests, as it is sent."),
      }),
    ),
    requestBody: z
      .object({ required: z.boolean(), contentType: z.string().optional(), sample: z.string().optional() })
      .optional(),
    security: z.array(z.array(z.string())).describe("Sets of schemes of which one is needed; empty: none."),
    schemes: z
      .array(
        z.object({
          name: z.string(),
          type: z.string(),
          in: z.string().optional(),
          parameter: z.string().optional(),
          scheme: z.string().optional(),
        }),
      )
      .optional()
      .describe("The schemes that `security` names, as the document describes them."),
    responses: z.array(z.string()),
  })
  .meta({ id: "SpecOperation" });

/** Most security schemes that credentials can be given for at once. */
const CREDENTIALS_MAX = 50;

const generationFields = {
  locations: checkLocationsSchema,
  frequencySeconds: frequencySecondsSchema.default(300),
  validateHeaders: z
    .boolean()
    .default(false)
    .describe("Sets validateHeaders on the generated openapi_conformance assertions."),
  confirm: z
    .boolean()
    .default(false)
    .describe(`Required when the spec yields more than ${GENERATED_CHECKS_UNCONFIRMED_MAX} new operations.`),
  methods: z
    .array(z.enum(HTTP_METHODS))
    .min(1, "at least one method")
    .max(HTTP_METHODS.length, "each method once")
    .superRefine(uniqueItems)
    .default(["GET", "HEAD"])
    .describe("Methods to generate checks for; those that change nothing by default."),
  credentials: z
    .record(
      z.string().min(1).max(500),
      z.union(
        [vaultNameSchema, closedObject({ username: vaultNameSchema, password: vaultNameSchema })],
        "expected the name of a secret, or username and password with the name of a secret each",
      ),
    )
    .refine((given) => Object.keys(given).length <= CREDENTIALS_MAX, `at most ${CREDENTIALS_MAX} schemes`)
    .default({})
    .describe(
      "Secrets of the team by the security scheme that they are sent for: the name of one, and for HTTP Basic `username` and `password`. Checks refer to them, as `{{vault.NAME}}`, and hold no value.",
    ),
};

/** Body of POST /api/specs/:id/generate-checks. */
export const generateFromSpecSchema = closedObject(generationFields);
/** Body of the request that generates checks from a stored API spec, defaults filled in. */
export type GenerateFromSpec = z.infer<typeof generateFromSpecSchema>;

/**
 * Schema of the reference to the spec that POST /api/checks/generate reads. A URL is always fetched, also if the team has a
 * spec of it.
 */
const specReferenceSchema = z.discriminatedUnion("source", [
  closedObject({ source: z.literal("id"), specId: z.string().max(128) }),
  closedObject({ source: z.literal("url"), specUrl: specUrlSchema, name: specNameSchema.optional() }),
  closedObject({ source: z.literal("name"), name: specNameSchema }),
]);

/** Body of POST /api/checks/generate with `spec`. */
export const generateBySpecSchema = closedObject({ spec: specReferenceSchema, ...generationFields });
/** Body of the request that generates checks and names the API spec itself, defaults filled in. */
export type GenerateBySpec = z.infer<typeof generateBySpecSchema>;

/** Body of POST /api/checks/generate without `spec`: a browser script from a description. */
export const generateScriptSchema = closedObject(
  scriptRequestFields,
  Object.fromEntries(Object.keys(generationFields).map((field) => [field, 'it goes with "spec"'])),
).refine(({ refinement, previousScript }) => refinement === undefined || previousScript !== undefined, {
  path: ["refinement"],
  message: "used with previousScript, which is missing",
});

/** Body of the request for a script, defaults filled in. */
export type GenerateScript = z.infer<typeof generateScriptSchema>;

/** Body of POST /api/checks/generate, for the API reference; the presence of `spec` decides between the two modes. */
export const generateChecksSchema = z.union([generateBySpecSchema, generateScriptSchema]);

/** Answer of spec mode. */
export const generatedChecksSchema = z.object({
  mode: z.literal("spec"),
  specId: idSchema("spec"),
  created: z.array(checkSchema),
  skipped: z
    .array(z.object({ operation: z.string().describe("METHOD /path/template"), reason: z.string() }))
    .describe("Operations without a new check."),
  warnings: z
    .array(z.string())
    .describe("What to know about the created checks: that some of them change something at each run."),
});
/** The created checks and the operations that were skipped. */
export type GeneratedChecks = z.infer<typeof generatedChecksSchema>;

/** Body of a 409. `newOperations` is present when the spec has more new operations than `confirm: false` allows. */
export const confirmationNeededSchema = z.object({ error: z.string(), newOperations: z.number().optional() });
