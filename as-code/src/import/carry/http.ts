/** The configuration of an HTTP check, from parts that tools name in many ways. Pure. */
import { type ImportDraft, STAND_IN } from "../draft.ts";
import type { Item } from "../item.ts";

/** Returns the URL with parameters added to its query, percent-encoded; stand-ins of variables stay as they are. */
export function withQuery(
  url: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  if (parameters.length === 0) return url;
  const [address = "", fragment] = url.split(/(#.*)/s);
  const query = parameters.map(([name, value]) => `${encodedPart(name)}=${encodedPart(value)}`).join("&");
  return `${address}${address.includes("?") ? "&" : "?"}${query}${fragment ?? ""}`;
}

function encodedPart(text: string): string {
  return text
    .toWellFormed()
    .split(STAND_IN)
    .map((part, at) => (at % 2 === 1 ? part : encodeURIComponent(part)))
    .join("");
}

/** Says how certificates come along, which stand in files or are hidden in most exports. */
export const OWN_CERTIFICATES =
  "certificates are not carried over; give them as caCertificates, clientCertificate and clientKey";

/** Returns the fields of the proxy that requests go through; none, with a note, for one of a kind that no check goes through. */
export function proxyOf(item: Item, draft: ImportDraft, monitor: string): Record<string, string> {
  const text = item.filled();
  if (text === undefined) return {};
  const fields = URL.canParse(text) ? proxyFieldsOf(new URL(text)) : undefined;
  if (!fields) draft.leftOut(item, "checks go through proxies at http://host:port alone", monitor);
  return fields ?? {};
}

function proxyFieldsOf(url: URL): Record<string, string> | undefined {
  if (url.protocol !== "http:" || url.pathname !== "/" || url.search !== "") return undefined;
  try {
    const [username, password] = [url.username, url.password].map(decodeURIComponent);
    if (username?.includes(":")) return undefined;
    const proxyUrl = `http://${url.host}`;
    return username ? { proxyUrl, proxyUsername: username, proxyPassword: password ?? "" } : { proxyUrl };
  } catch {
    return undefined;
  }
}

/** Matches `{{ NAME }}`, and what else stands between such braces. */
const BRACES = /\{\{([^{}]{0,200})\}\}/g;

/**
 * Replaces the variables that two of the tools write as `{{NAME}}`. An expression of another kind stays as it is, with a note.
 * @returns the text with stand-ins
 */
export function withBraceVariables(item: Item, draft: ImportDraft, monitor: string): string | undefined {
  return item.text()?.replace(BRACES, (matched, inner: string) => {
    const name = inner.trim();
    if (/^[A-Za-z_]\w{0,99}$/.test(name)) return draft.variable(name);
    draft.changed(item, "an expression in double braces is no variable; it is sent as it stands", monitor);
    return matched;
  });
}
