/** Media types and ranges; parameters are ignored. */

/** `type/subtype` in lower case without parameters; undefined when the text is none. */
export function essence(contentType: string): string | undefined {
  const text = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  return /^[^\s/]+\/[^\s/]+$/.test(text) ? text : undefined;
}

/** JSON itself or a type with the suffix +json. */
export function isJsonType(contentType: string): boolean {
  const type = essence(contentType);
  return type !== undefined && (/^(application|text)\/json$/.test(type) || type.endsWith("+json"));
}

/** The most specific of the declared types and ranges that covers `contentType`, as declared. */
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
