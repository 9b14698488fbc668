/** Fits what a source asks of a target to the fields that checks of the types beside HTTP have. */
import type { Item } from "../item.ts";
import type { DraftAssertion } from "./assertions.ts";
import type { PartNotes } from "./parts.ts";

/** Assertions as an HTTP check would have them, with the part of the export that they come from. */
export interface Asked {
  item: Item;
  assertions: readonly DraftAssertion[];
}

/** The fields that the assertions became. */
export interface AskedFields {
  assertions: DraftAssertion[];
  expectContains?: string;
  expectMatches?: string;
  minDaysBeforeExpiry?: number;
}

/**
 * Returns the fields. Assertions that a check of the type can't have are noted.
 * @param type time is asked of every type; of `tcp` and `websocket` also the text that comes, of `tls` also days of the certificate,
 *   of the others the certificate where TLS is spoken
 */
export function askedOf(
  type: "tcp" | "tls" | "dns" | "ping" | "grpc" | "websocket",
  asked: readonly Asked[],
  { tls = false, draft, monitor }: PartNotes & { tls?: boolean },
): AskedFields {
  const fields: AskedFields = { assertions: [], ...(type === "tls" && { minDaysBeforeExpiry: 0 }) };
  const hasText = type === "tcp" || type === "websocket";
  for (const { item, assertions } of asked)
    for (const one of assertions)
      if (one.type === "response_time" || (tls && one.type === "ssl_expiry" && type !== "tls"))
        fields.assertions.push(one);
      else if (type === "tls" && one.type === "ssl_expiry")
        fields.minDaysBeforeExpiry = Math.max(fields.minDaysBeforeExpiry ?? 0, Number(one.daysBeforeExpiry));
      else if (!(hasText && addText(one, fields)))
        draft.leftOut(item, `a ${type} check can't say what this one says`, monitor);
  return fields;
}

/** Matches an expression that holds while a text has not come, so that a check that waits for it would wait for nothing. */
const LACKS = "^(?!";

function addText(one: DraftAssertion, fields: AskedFields): boolean {
  const { value, pattern } = one;
  if (one.type === "body_contains" && typeof value === "string") {
    if (fields.expectContains !== undefined && fields.expectContains !== value) return false;
    fields.expectContains = value;
    return true;
  }
  if (one.type !== "body_matches" || typeof pattern !== "string" || pattern.startsWith(LACKS)) return false;
  if (fields.expectMatches !== undefined && fields.expectMatches !== pattern) return false;
  fields.expectMatches = pattern;
  return true;
}
