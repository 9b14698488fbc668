/** Routes of API keys: for signed-in people only, except that a key may revoke itself. */

import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { apiKeySchema, createApiKeySchema, createdApiKeySchema } from "../resources/api-key.ts";
import { defineRoute } from "./route.ts";

const tag = "API keys";

/** Routes of API keys, by operation. */
export const apiKeyRoutes = {
  create: defineRoute({
    method: "POST",
    path: "/api/api-keys",
    access: "session_changes",
    tag,
    summary: "Make a key; the answer is the only one that shows its secret",
    body: createApiKeySchema.prefault({}),
    answer: z.object({ key: createdApiKeySchema }),
  }),
  list: defineRoute({
    method: "GET",
    path: "/api/api-keys",
    access: "session",
    tag,
    summary: "List the team's keys",
    description: "Without `limit` and `cursor` the answer holds all keys.",
    query: cursorPageQuerySchema,
    answer: z.object({ keys: z.array(apiKeySchema), ...nextCursorField }),
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/api-keys/:id",
    access: "session_changes",
    tag,
    summary: "Revoke a key of the team",
    params: z.object({ id: idSchema("apiKey") }),
    answer: successSchema,
  }),
  deleteSelf: defineRoute({
    method: "DELETE",
    path: "/api/api-keys/self",
    access: "reads",
    tag,
    summary: "Revoke the key that makes this request",
    answer: z.object({ revoked: z.literal(true), alreadyRevoked: z.literal(true).optional() }),
    otherAnswers: { 400: errorSchema },
  }),
};
