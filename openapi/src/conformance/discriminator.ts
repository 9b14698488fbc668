/** Discriminators: the value of one property decides which alternative of a schema applies. */
import { isObject } from "../document/pointer.ts";
import type { ConversionContext, JsonSchema } from "./conversion-context.ts";

/**
 * Replaces `oneOf`/`anyOf` of references by a choice on the discriminator's property, so that a response is judged by the
 * alternative it claims to be and not refused for fitting two. Changes nothing when an alternative has no name.
 */
export function discriminate(
  converted: Record<string, unknown>,
  schema: Record<string, unknown>,
  context: ConversionContext,
): void {
  const discriminator = schema.discriminator;
  if (!isObject(discriminator) || typeof discriminator.propertyName !== "string") return;
  const property = discriminator.propertyName;
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const alternatives = schema[keyword];
    if (!Array.isArray(alternatives)) continue;
    const byValue = alternativesByValue(alternatives, discriminator.mapping, context);
    if (!byValue) continue;
    delete converted[keyword];
    const isKnown = { required: [property], properties: { [property]: { enum: [...byValue.keys()] } } };
    const choices = [...byValue].map(([value, id]) => ({
      if: { required: [property], properties: { [property]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: the JSON Schema keyword
      then: { $ref: id },
    }));
    converted.allOf = [...((converted.allOf as JsonSchema[] | undefined) ?? []), isKnown, ...choices];
  }
}

/** Returns schema ids by the property's values: those of the mapping, and the last segment of each reference. */
function alternativesByValue(
  alternatives: readonly unknown[],
  mapping: unknown,
  context: ConversionContext,
): Map<string, string> | undefined {
  const byValue = new Map<string, string>();
  const mapped = new Set<string>();
  for (const [value, target] of Object.entries(isObject(mapping) ? mapping : {})) {
    if (typeof target !== "string") return undefined;
    const id = context.resolve(target.startsWith("#") ? target : `#/components/schemas/${target}`);
    if (id === undefined) return undefined;
    byValue.set(value, id);
    mapped.add(id);
  }
  for (const alternative of alternatives) {
    if (!isObject(alternative) || typeof alternative.$ref !== "string") return undefined;
    const id = context.resolve(alternative.$ref);
    if (id === undefined) return undefined;
    const name = alternative.$ref.slice(alternative.$ref.lastIndexOf("/") + 1);
    if (!mapped.has(id) && !byValue.has(name)) byValue.set(name, id);
  }
  return byValue.size > 0 ? byValue : undefined;
}
