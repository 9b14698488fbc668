/** API keys: a team's credentials for REST. Only people who are signed in to the dashboard manage them. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { keyNameSchema } from "../base/key-name.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Origins of a key; informational only. */
const API_KEY_SOURCES = ["manual", "cli"] as const;
export type ApiKeySource = (typeof API_KEY_SOURCES)[number];

/** Body of POST /api/api-keys. */
export const createApiKeySchema = closedObject({
  name: keyNameSchema,
  source: z.enum(API_KEY_SOURCES).default("manual"),
});

const commonFields = {
  id: idSchema("apiKey"),
  name: z.string(),
  keyPrefix: z.string().describe("The key's first characters, for display."),
  source: z.enum(API_KEY_SOURCES),
  createdAt: timestampSchema,
};

/** Schema of a key as the list shows it: never with its secret. */
export const apiKeySchema = z
  .object({ ...commonFields, lastUsedAt: timestampSchema.nullable() })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** Schema of the answer to a key's creation, the only one that shows `secret` (sk_ + 64 hexadecimal digits). */
export const createdApiKeySchema = z
  .object({ ...commonFields, secret: z.string() })
  .meta({ id: "CreatedApiKey" });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
