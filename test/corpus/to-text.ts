/** Writes recordings so that a difference between two of them is read line by line: a result and a detail have a line each. */
import type { Recording } from "./recording.ts";

/** Returns the recording as JSON. */
export function toText(recording: Recording): string {
  const lines = JSON.stringify(recording, lineOf, 1);
  return `${lines.replaceAll(/"\\u0001(.*?)\\u0001"/g, (_, text: string) => JSON.parse(`"${text}"`))}\n`;
}

/** Replaces results and details by their texts between marks, from which the quotes of strings are removed later. */
function lineOf(this: unknown, key: string, value: unknown): unknown {
  const isResult = Array.isArray(value) && typeof value[1] === "string";
  const isDetail = typeof value === "object" && value !== null && "errorCategory" in value;
  const isSmall = key === "certificate" || key === "conditions";
  return isResult || isDetail || isSmall ? `\u0001${JSON.stringify(value)}\u0001` : value;
}
