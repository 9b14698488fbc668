/** Routes of API specs and of the generation of checks from them. */

import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  generatedScriptSchema,
  SCRIPT_GENERATION_LIMITS,
  scriptGenerationDataSchema,
} from "../resources/generated-script.ts";
import {
  confirmationNeededSchema,
  createSpecSchema,
  generateChecksSchema,
  generatedChecksSchema,
  generateFromSpecSchema,
  specOperationSchema,
  specSchema,
  updateSpecSchema,
} from "../resources/spec.ts";
import { defineRoute } from "./route.ts";

const tag = "Specs";
const params = z.object({ id: idSchema("spec") });
const oneSpec = z.object({ spec: specSchema });

/** Routes of API specs, by operation. */
export const specRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/specs",
    access: "reads",
    tag,
    summary: "List the team's API specs, newest first",
    description: "Without `limit` and `cursor` the answer holds all specs.",
    query: cursorPageQuerySchema,
    answer: z.object({ specs: z.array(specSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/specs",
    access: "changes",
    tag,
    summary: "Store an OpenAPI 3.0 or 3.1 document, uploaded or fetched from a URL",
    body: createSpecSchema,
    status: 201,
    answer: oneSpec,
    otherAnswers: { 409: errorSchema },
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/specs/:id",
    access: "reads",
    tag,
    summary: "Get an API spec with its operations",
    params,
    answer: oneSpec.extend({ operations: z.array(specOperationSchema) }),
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/specs/:id",
    access: "changes",
    tag,
    summary: "Rename an API spec or replace its document; an empty body fetches its URL again",
    params,
    body: updateSpecSchema,
    answer: oneSpec,
    otherAnswers: { 409: errorSchema },
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/specs/:id",
    access: "changes",
    tag,
    summary: "Delete an API spec that no assertion uses",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
  generateChecks: defineRoute({
    method: "POST",
    path: "/api/specs/:id/generate-checks",
    access: "changes",
    tag,
    summary: "Generate a check for each operation of an API spec that has none",
    params,
    body: generateFromSpecSchema,
    status: 201,
    answer: generatedChecksSchema,
    otherAnswers: { 409: confirmationNeededSchema },
  }),
  generate: defineRoute({
    method: "POST",
    path: "/api/checks/generate",
    access: "changes",
    tag: "Checks",
    summary: "Generate checks from an API spec, or a browser script from a description",
    body: generateChecksSchema,
    status: 201,
    description: [
      "With `spec`: 201 and the checks that were created. Without: a language model writes a script for the description, and the answer is 200.",
      "The draft is tried once at a location as a test run, which may read the target and what its page loads, and change something at the target only with `allowWrites`. It is repaired up to",
      `${SCRIPT_GENERATION_LIMITS.repairsMax} times from what came of it; \`verified\` says how that went. It takes up to ${SCRIPT_GENERATION_LIMITS.secondsMax} s. Nothing is stored. With \`Accept: text/event-stream\` the`,
      "answer is a stream of events: `progress`, and at its end `result` or `error`. 429 beyond the plan's generations of the month or two at a time.",
    ].join(" "),
    answer: generatedChecksSchema,
    events: scriptGenerationDataSchema,
    otherAnswers: {
      200: generatedScriptSchema,
      404: errorSchema,
      409: confirmationNeededSchema,
      503: errorSchema,
    },
  }),
};
