/** Keeps the values of secrets out of what an agent reports about a run. Pure. */
import {
  factTypes,
  maskUrlsIn,
  oneLine,
  REDACTED,
  type ResultDetail,
  resultDetailSchema,
  TextFinder,
  withoutJsonExcerpts,
} from "@svc/contract";
import type { ProbeOutcome } from "@svc/probes";

/** Shortest value that is hidden: shorter ones stand in any text, and hiding them would tell where they stand. */
const LENGTH_MIN = 4;
/** Shortest line of a value of several lines that is hidden by itself. */
const LINE_LENGTH_MIN = 8;
/** Shortest beginning of a value that is hidden where a text was cut within it: at its end, or before a mark of a cut. */
const CUT_LENGTH_MIN = 8;
/** Most lines of one value, and of all values of a check, that are hidden by themselves: a key in PEM has about fifty. */
const LINES_MAX = 64;
const ALL_LINES_MAX = 512;

/** Returns a text without the values. */
export type MaskText = (text: string) => string;

/**
 * Returns the function that hides the values: as they are, as URLs, JSON, HTML and base64 write them, and their beginnings wherever a
 * text was cut.
 */
export function valueMasker(values: Iterable<string>): MaskText {
  const whole = [...values];
  const lines = whole.flatMap(linesOf).slice(0, ALL_LINES_MAX);
  const forms = new Set([...whole.flatMap(formsOf), ...lines].filter((form) => form.length >= LENGTH_MIN));
  const finder = new TextFinder([...forms]);
  return (text) => finder.replace(withoutJsonExcerpts(text), REDACTED, CUT_LENGTH_MIN);
}

/** Returns the outcome with the text masker applied to everything in it that is sent or logged. */
export function maskOutcome(outcome: ProbeOutcome, mask: MaskText): ProbeOutcome {
  if (outcome.kind === "fault") return { ...outcome, message: mask(outcome.message) };
  const { detail, facts } = outcome;
  return {
    ...outcome,
    ...(detail && { detail: maskDetail(detail, mask) }),
    ...(facts && { facts: maskFacts(facts, mask) }),
  };
}

/**
 * A value that is an ordinary word, such as `timeout`, may stand where a detail has words of a closed set. Masked, such
 * a detail would be refused, and the result with it; then only the category is kept.
 */
function maskDetail(detail: ResultDetail, mask: MaskText): ResultDetail {
  const masked = resultDetailSchema.safeParse(mapTexts(detail, mask));
  if (masked.success) return masked.data;
  const { errorCategory } = detail;
  return {
    ...(errorCategory && { errorCategory }),
    notes: ["the detail is left out, as the value of a secret is a word that it consists of"],
  };
}

/** Leaves out facts that masking made unusable. */
function maskFacts(facts: Record<string, unknown>, mask: MaskText): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([kind, fact]) => {
      const masked = factTypes.find(kind)?.schema.safeParse(mapTexts(fact, mask));
      return masked?.success ? [[kind, masked.data]] : [];
    }),
  );
}

function mapTexts<T>(value: T, mask: MaskText): T {
  return mapAny(value, mask) as T;
}

function mapAny(value: unknown, mask: MaskText): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => mapAny(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), mapAny(item, mask)]));
}

/** Returns the lines of a value that has several, since messages often show single ones. */
function linesOf(value: string): string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split(/\r?\n/, LINES_MAX).map((line) => line.trim());
  return lines.filter((line) => line.length >= LINE_LENGTH_MIN);
}

/** Returns the forms in which texts carry a value; none for a value that is too short to be looked for. */
function formsOf(value: string): string[] {
  if (value.length < LENGTH_MIN) return [];
  const wellFormed = value.toWellFormed();
  const bytes = Buffer.from(wellFormed);
  return [
    value,
    // With the credentials hidden that a value's own URLs hold, and as messages on one line have it.
    maskUrlsIn(value),
    oneLine(value),
    // As a text that is read in another encoding than it was written in.
    bytes.toString("latin1"),
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams({ v: wellFormed }).toString().slice(2),
    inJson(value),
    // As a document has it in which a request's JSON is a text.
    inJson(inJson(value)),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    ...base64Within(bytes),
  ];
}

/** Returns a text as it stands within the quotes of JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Returns the base64 that the bytes have within a longer text, as a password has in basic credentials: at each of the three
 * positions that they can begin at, the characters that don't depend on what stands around them.
 */
function base64Within(bytes: Buffer): string[] {
  return [1, 2]
    .flatMap((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString("base64")
        .replace(/=+$/, "");
      const start = before + 1;
      const end = text.length - ((before + bytes.length) % 3 === 0 ? 0 : 1);
      return [text.slice(start, end)];
    })
    .concat(
      bytes
        .toString("base64")
        .replace(/=+$/, "")
        .slice(0, bytes.length % 3 === 0 ? undefined : -1),
    );
}
