/** Team secrets: values that a team keeps in the service, and that its checks refer to as `{{vault.NAME}}`. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { vaultNameSchema } from "../base/vault.ts";

/** Size of the largest value, in bytes of UTF-8. */
const SECRET_VALUE_BYTES_MAX = 64 * 1024;

const valueSchema = z
  .string()
  .min(1, "a value has at least 1 character")
  // A longer text is refused before its bytes are counted.
  .max(SECRET_VALUE_BYTES_MAX, { error: `a value has at most ${SECRET_VALUE_BYTES_MAX} bytes`, abort: true })
  .refine((text) => text.isWellFormed(), "the text is not well-formed Unicode")
  .refine(
    (text) => new TextEncoder().encode(text).length <= SECRET_VALUE_BYTES_MAX,
    `a value has at most ${SECRET_VALUE_BYTES_MAX} bytes`,
  )
  .describe("The value; it is never answered.");

const readOnlyFields = {
  id: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/secrets. */
export const createSecretSchema = closedObject({
  name: vaultNameSchema.describe("Checks refer to the secret as {{vault.NAME}}. A name can't be changed."),
  value: valueSchema,
  ...readOnlyFields,
});
/** Body of the request that stores a secret. */
export type CreateSecret = z.infer<typeof createSecretSchema>;

/** Body of PUT /api/secrets/:id: another value. */
export const updateSecretSchema = closedObject({
  value: valueSchema,
  name: readOnlyField,
  ...readOnlyFields,
});

/** Schema of a secret as the API answers it: never with its value. */
export const secretSchema = z
  .object({
    id: idSchema("secret"),
    name: z.string(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable().describe("Instant of the last change of the value."),
  })
  .meta({ id: "Secret" });
/** A team secret without its value, which no answer shows. */
export type Secret = z.infer<typeof secretSchema>;
