/** Media types and ranges of media types. Parameters are ignored. */

/** Returns `type/subtype` in lower case without parameters; undefined when the text is no media type. */
export function essence(contentType: string): string | undefined {
  const text = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  return /^[^\s/]+\/[^\s/]+$/.test(text) ? text : undefined;
}

/** True for JSON and for types with the suffix +json. */
export function isJsonType(contentType: string): boolean {
  const type = essence(contentType);
  return type !== undefined && (/^(application|text)\/json$/.test(type) || type.endsWith("+json"));
}

/** Returns the most specific of the declared types and ranges that covers `contentType`, as it was declared. */
export function matchMediaType(contentType: string, declared: readonly string[]): string | undefined {
  const type = essence(contentType);
  if (type === undefined) return undefined;
  const ranges = [type, `${type.split("/")[0]}/*`, "*/*"];
  for (const range of ranges) {
    const found = declared.find((candidate) => essence(candidate) === range);
    if (found !== undefined) return found;
  }
  return undefined;
}
