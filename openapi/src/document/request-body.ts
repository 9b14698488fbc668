/** Request bodies of operations. */
import { isJsonType } from "./media-types.ts";
import { isObject } from "./pointer.ts";
import type { References } from "./references.ts";
import { dereferenced, sampleOf } from "./samples.ts";
import { storable } from "./storable.ts";

/** The body of an operation. `sample` is the text that the document suggests; absent when it suggests none. */
export interface SpecRequestBody {
  required: boolean;
  contentType?: string;
  sample?: string;
}

/** Largest suggested body that is kept, characters. */
const SAMPLE_LENGTH_MAX = 16_384;

/** Returns the description of a Request Body Object, of its JSON content where it has one; undefined when there is none. */
export function describeRequestBody(references: References, body: unknown): SpecRequestBody | undefined {
  const resolved = dereferenced(body, references);
  if (!isObject(resolved)) return undefined;
  const required = resolved.required === true;
  const contents = isObject(resolved.content) ? Object.entries(resolved.content) : [];
  const [contentType, media] = contents.find(([type]) => isJsonType(type)) ?? contents[0] ?? [];
  if (contentType === undefined || !isObject(media)) return { required };
  const value = sampleOf(media, references);
  const sample = typeof value === "string" && !isJsonType(contentType) ? value : jsonText(value, contentType);
  return {
    required,
    contentType: storable(contentType),
    ...(sample !== undefined && sample.length <= SAMPLE_LENGTH_MAX && isStorable(sample) ? { sample } : {}),
  };
}

function jsonText(value: unknown, contentType: string): string | undefined {
  return value === undefined || !isJsonType(contentType) ? undefined : JSON.stringify(value);
}

function isStorable(text: string): boolean {
  return storable(text, Infinity) === text;
}
