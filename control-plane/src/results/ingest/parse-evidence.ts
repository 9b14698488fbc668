/**
 * Checks the JSON that comes beside a result, its detail and facts, and makes it fit for the database. What is wrong is
 * left out;
 *  the result itself is kept.
 */
import {
  factTypes,
  findUnstorableText,
  NESTING_MAX,
  type ResultDetail,
  resultDetailSchema,
} from "@svc/contract";
import type * as z from "zod";

/** A detail or fact that can be stored, or the reason why it can't. */
export type Evidence<T> = { ok: true; value: T; json: string } | { ok: false; reason: string };

/** Largest detail or fact, bytes of JSON. */
export const EVIDENCE_BYTES_MAX = 256 * 1024;

/** Checks a result's detail. */
export function parseDetail(json: string): Evidence<ResultDetail> {
  return parseEvidence("detail", json, resultDetailSchema);
}

/** Checks a result fact. A kind that this version does not know is refused. */
export function parseFact(kind: string, json: string): Evidence<unknown> {
  const known = factTypes.find(kind);
  if (!known)
    return { ok: false, reason: `fact not stored: unknown kind ${JSON.stringify(kind.slice(0, 64))}` };
  return parseEvidence(`${kind} fact`, json, known.schema as z.ZodType);
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
 * Returns the value with U+0000 and halves of surrogate pairs replaced by U+FFFD: a response's body may hold them,
 * jsonb can't. Anything nested deeper than NESTING_MAX is left as it is, to be refused.
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
