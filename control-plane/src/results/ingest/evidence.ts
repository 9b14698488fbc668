/** What comes beside a result's row as JSON: checked, and made storable. A bad one is left out; its row is kept. */
import {
  findUnstorableText,
  type McpSurface,
  mcpSurfaceSchema,
  NESTING_MAX,
  type ResultDetail,
  resultDetailSchema,
  type TlsFacts,
  tlsFactsSchema,
} from "@svc/contract";
import type * as z from "zod";

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

export function parseMcpSurface(json: string): Evidence<McpSurface> {
  return parseEvidence("mcp fact", json, mcpSurfaceSchema);
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
  const storable = withStorableText(document);
  const unstorable = findUnstorableText(storable);
  if (unstorable) return { ok: false, reason: `${what} not stored: ${unstorable.message}` };
  const parsed = schema.safeParse(storable);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { ok: false, reason: `${what} not stored: ${issue?.path.join(".")}: ${issue?.message}` };
  }
  return { ok: true, value: parsed.data, json: JSON.stringify(parsed.data) };
}

/**
 * jsonb holds neither U+0000 nor half of a surrogate pair; a response's body may, so both become U+FFFD. What is nested
 * absurdly deep is left as it is, to be refused.
 */
function withStorableText(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\ufffd");
  if (value === null || typeof value !== "object" || depth > NESTING_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => withStorableText(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.toWellFormed().replaceAll("\0", "\ufffd"),
      withStorableText(item, depth + 1),
    ]),
  );
}
