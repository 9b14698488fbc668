/** API keys: what a team's programs sign in with. */
import { z } from "zod";
import { timestampSchema } from "./check.ts";
import { closedObject, readOnlyField } from "./objects.ts";

const NAME_LENGTH_MAX = 100;
const DEFAULT_NAME = "Untitled Key";

const keyNameSchema = z
  .string()
  // By code point: a cut must not leave half a character.
  .transform((name) => [...name.trim()].slice(0, NAME_LENGTH_MAX).join("") || DEFAULT_NAME)
  .default(DEFAULT_NAME)
  .describe(`Trimmed; cut at ${NAME_LENGTH_MAX} characters.`);

/** Body of POST /api/api-keys; may be absent. */
export const createApiKeySchema = closedObject({
  name: keyNameSchema,
  source: z.enum(["manual", "cli"]).default("manual").describe("Where it was made; informational only."),
  id: readOnlyField,
  keyPrefix: readOnlyField,
  lastUsedAt: readOnlyField,
  createdAt: readOnlyField,
}).prefault({});
export type CreateApiKey = z.output<typeof createApiKeySchema>;

const commonFields = {
  id: z.string(),
  name: z.string(),
  keyPrefix: z.string().describe("The key's first characters, for display."),
  source: z.enum(["manual", "cli"]),
  createdAt: timestampSchema,
};

/** A key as the list shows it: never with its secret. */
export const apiKeySchema = z
  .object({ ...commonFields, lastUsedAt: timestampSchema.nullable() })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKeySchema>;

/** A key as its creation answers it: the only time that its secret is shown. */
export const newApiKeySchema = z
  .object({ ...commonFields, secret: z.string().describe("The key itself: sk_ and 64 hexadecimal digits.") })
  .meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof newApiKeySchema>;
