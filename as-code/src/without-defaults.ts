/** Leaves out fields that a config need not have. */
import type * as z from "zod";
import { canonicalJson } from "./canonical-json.ts";

/** Returns a copy without the fields whose default is their value. A value that the schema refuses stays whole. */
export function withoutDefaults<Fields extends Record<string, unknown>>(
  schema: z.ZodType,
  value: Fields,
): Fields {
  const whole = schema.safeParse(value);
  if (!whole.success) return value;
  const meant = canonicalJson(whole.data);
  const lean: Record<string, unknown> = { ...value };
  for (const field of Object.keys(value)) {
    const { [field]: removed, ...rest } = lean;
    const parsed = schema.safeParse(rest);
    if (parsed.success && canonicalJson(parsed.data) === meant) delete lean[field];
  }
  return lean as Fields;
}
