import { type CheckType, checkTypes, parseOrInvalid } from "@svc/contract";
import * as z from "zod";

/**
 * Parses a configuration that was sent as `configJson` by the rules of the check's type.
 * @returns the configuration with its defaults
 * @throws DomainError `invalid`, with messages under `configJson`
 */
export function parseConfigJson(
  type: CheckType,
  configJson: Record<string, unknown>,
): Record<string, unknown> {
  const schema: z.ZodType<Record<string, unknown>> = checkTypes.get(type).configSchema;
  return parseOrInvalid(z.object({ configJson: schema }), { configJson }).configJson;
}
