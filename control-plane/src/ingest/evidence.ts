/** What comes beside a result's row as JSON: checked, and made storable. A bad one is left out; its row is kept. */
import { type ResultDetail, resultDetailSchema, type TlsFacts, tlsFactsSchema } from "@svc/contract";
import type { z } from "zod";

/** A detail or fact ready to be stored, or why it is not. */
export type Evidence<T> = { ok: true; value: T; json: string } | { ok: false; reason: string };

/** Largest detail or fact, bytes of JSON. */
export const EVIDENCE_BYTES_MAX = 256 * 1024;

export function parseDetail(json: string): Evidence<ResultDetail> {
  return parseEvidence("detail", json, resultDetailSchema);
}

export function parseTlsFacts(json: string): Evidence<TlsFacts> {
  return parseEvidence("tls fact", json, tlsFactsSchema);
}

function parseEvidence<Schema extends z.ZodType>(
  what: string,
  json: string,
  schema: Schema,
): Evidence<z.output<Schema>> {
  if (Buffer.byteLength(json) > EVIDENCE_BYTES_MAX)
    return { ok: false, reason: `${what} not stored: more than ${EVIDENCE_BYTES_MAX} bytes` };
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    return { ok: false, reason: `${what} not stored: not JSON` };
  }
  const parsed = schema.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { ok: false, reason: `${what} not stored: ${issue?.path.join(".")}: ${issue?.message}` };
  }
  return { ok: true, value: parsed.data, json: storableJson(parsed.data) };
}

/** jsonb holds neither U+0000 nor half of a surrogate pair; both become U+FFFD. */
function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\u(0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(value, (_key, part) => {
    if (typeof part === "string") return storableText(part);
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [storableText(name), inner]));
  });
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
