/** What a config need not say: fields that mean the same when they are left out. */
import type * as z from "zod";
import { canonicalJson } from "../deploy/canonical-json.ts";

/** A copy without the fields whose absence the schema fills in alike. What the schema refuses stays as it is. */
export function leanest<Fields extends Record<string, unknown>>(schema: z.ZodType, value: Fields): Fields {
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
