/** API keys: a team's credentials for REST. Only people who are signed in to the dashboard manage them. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { keyNameSchema } from "../base/key-name.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { KEY_ROLES } from "./role.ts";

/** Origins of a key; informational only. */
const API_KEY_SOURCES = ["manual", "cli"] as const;
/** Origin of an API key. */
export type ApiKeySource = (typeof API_KEY_SOURCES)[number];

/** Body of POST /api/api-keys. */
export const createApiKeySchema = closedObject({
  name: keyNameSchema,
  source: z.enum(API_KEY_SOURCES).default("manual"),
  role: z.enum(KEY_ROLES).default("member").describe("viewer: the key only reads."),
  expiresAt: z.iso
    .datetime({ offset: true, error: "expected an instant such as 2030-01-31T00:00:00Z" })
    .nullable()
    .default(null)
    .describe("From this instant on the key is refused; null: it stays until it is revoked."),
});

const commonFields = {
  id: idSchema("apiKey"),
  name: z.string(),
  keyPrefix: z.string().describe("The key's first characters, for display."),
  source: z.enum(API_KEY_SOURCES),
  role: z.enum(KEY_ROLES),
  expiresAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
};

/** Schema of a key as the list shows it: never with its secret. */
export const apiKeySchema = z
  .object({
    ...commonFields,
    lastUsedAt: timestampSchema.nullable().describe("Exact to an hour."),
    lastUsedAddress: z.string().nullable().describe("IP address of that use."),
    createdBy: idSchema("user").nullable().describe("Person who made it; null: the operator."),
    createdByName: z.string().nullable().describe("Email address of that person."),
    expiryWarnedAt: timestampSchema
      .nullable()
      .describe("When the service warned that the key ends within a week; null: not yet."),
  })
  .meta({ id: "ApiKey" });
/** An API key without its secret. */
export type ApiKey = z.infer<typeof apiKeySchema>;

/** Schema of the answer to a key's creation, the only one that shows `secret` (sk_ + 64 hexadecimal digits). */
export const createdApiKeySchema = z
  .object({ ...commonFields, secret: z.string() })
  .meta({ id: "CreatedApiKey" });
/** A new API key with its secret, which is shown this once. */
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
