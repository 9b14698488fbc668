/** Parameters of operations, with values written in the document's styles. */
import { isObject } from "./pointer.ts";
import type { References } from "./references.ts";
import { dereferenced, sampleOf } from "./samples.ts";
import { storable } from "./storable.ts";

type ParameterKind = "path" | "query" | "header" | "cookie";

/** A parameter. `sample` is the text to send for the value that the document suggests; absent when it suggests none. */
export interface SpecParameter {
  name: string;
  in: ParameterKind;
  required: boolean;
  /** path: the segment, encoded; query: `name=value` pairs, encoded; header: the value; cookie: `name=value`. */
  sample?: string;
}

const KINDS: readonly unknown[] = ["path", "query", "header", "cookie"] satisfies ParameterKind[];

/** Returns an operation's parameters: those of its path, and its own, which override those of equal name and kind. */
export function describeParameters(
  references: References,
  ofPath: unknown,
  ofOperation: unknown,
): SpecParameter[] {
  const parameters = new Map<string, SpecParameter>();
  for (const list of [ofPath, ofOperation])
    for (const entry of Array.isArray(list) ? list : []) {
      const parameter = dereferenced(entry, references);
      if (!isObject(parameter) || typeof parameter.name !== "string" || !KINDS.includes(parameter.in))
        continue;
      const kind = parameter.in as ParameterKind;
      const sample = usable(sampleText(parameter, kind, references), kind);
      parameters.set(`${kind} ${parameter.name}`, {
        name: storable(parameter.name) ?? "",
        in: kind,
        required: kind === "path" || parameter.required === true,
        ...(sample === undefined ? {} : { sample }),
      });
    }
  return [...parameters.values()];
}

/** Longest suggested value that is sent, characters. */
const SAMPLE_LENGTH_MAX = 1_000;

function usable(sample: string | undefined, kind: ParameterKind): string | undefined {
  // Clients resolve dot segments, so the request would reach another operation.
  if (kind === "path" && (sample === "." || sample === "..")) return undefined;
  const isUsable =
    sample !== undefined && sample.length <= SAMPLE_LENGTH_MAX && storable(sample, Infinity) === sample;
  return isUsable ? sample : undefined;
}

function sampleText(
  parameter: Record<string, unknown>,
  kind: ParameterKind,
  references: References,
): string | undefined {
  const name = parameter.name as string;
  if (isObject(parameter.content)) {
    const media = Object.values(parameter.content)[0];
    const value = isObject(media) ? (parameter.example ?? sampleOf(media, references)) : undefined;
    if (value === undefined) return undefined;
    return encoded(name, kind, typeof value === "string" ? value : JSON.stringify(value));
  }
  const value = sampleOf(parameter, references);
  if (value === undefined || value === null || value === "") return undefined;
  const style = typeof parameter.style === "string" ? parameter.style : DEFAULT_STYLES[kind];
  const explode = typeof parameter.explode === "boolean" ? parameter.explode : style === "form";
  return styled({ name, kind, style, explode, value });
}

const DEFAULT_STYLES: Record<ParameterKind, string> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};

function encoded(name: string, kind: ParameterKind, text: string): string {
  if (kind === "path") return encodeURIComponent(text);
  if (kind === "query") return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  return kind === "cookie" ? `${name}=${encodeURIComponent(text)}` : text;
}

/** Separators of the styles that join a list into one value. */
const SEPARATORS: Record<string, string> = { spaceDelimited: "%20", pipeDelimited: "|" };

/** A value with the name, the kind and the style in which it is written. */
interface StyledValue {
  name: string;
  kind: ParameterKind;
  style: string;
  explode: boolean;
  value: unknown;
}

/** Writes a value as RFC 6570 and the OpenAPI styles say. */
function styled(parameter: StyledValue): string {
  const { kind } = parameter;
  return kind === "path" || kind === "header" ? styledAsPart(parameter) : styledAsPairs(parameter);
}

/** Writes a segment of a path or the value of a header. */
function styledAsPart({ name, kind, style, explode, value }: StyledValue): string {
  const encode = encoderOf(kind);
  const separator = style === "label" ? "." : style === "matrix" ? ";" : ",";
  const parts = Array.isArray(value)
    ? value.map((part) => encode(plain(part)))
    : isObject(value)
      ? Object.entries(value).map(
          ([field, part]) => `${encode(field)}${explode ? "=" : ","}${encode(plain(part))}`,
        )
      : [encode(plain(value))];
  if (style === "label") return `.${parts.join(explode ? separator : ",")}`;
  if (style !== "matrix") return parts.join(",");
  const key = encode(name);
  if (!explode) return `;${key}=${parts.join(",")}`;
  return isObject(value) ? `;${parts.join(";")}` : parts.map((part) => `;${key}=${part}`).join("");
}

/** Writes the pairs of a query, or a cookie. */
function styledAsPairs({ name, kind, style, explode, value }: StyledValue): string {
  const encode = encoderOf(kind);
  const key = encode(name);
  const separator = SEPARATORS[style] ?? ",";
  if (Array.isArray(value)) {
    const parts = value.map((part) => encode(plain(part)));
    return explode ? parts.map((part) => `${key}=${part}`).join("&") : `${key}=${parts.join(separator)}`;
  }
  if (!isObject(value)) return `${key}=${encode(plain(value))}`;
  const fields = Object.entries(value).map(([field, part]) => [encode(field), encode(plain(part))]);
  if (style === "deepObject") return fields.map(([field, part]) => `${key}%5B${field}%5D=${part}`).join("&");
  if (explode) return fields.map(([field, part]) => `${field}=${part}`).join("&");
  return `${key}=${fields.map(([field, part]) => `${field},${part}`).join(separator)}`;
}

function encoderOf(kind: ParameterKind): (text: string) => string {
  return kind === "header" ? (text) => text : encodeURIComponent;
}

function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
