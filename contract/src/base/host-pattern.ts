/** Host patterns: a host name such as `cdn.example.com`, or `*.example.com` for every host below `example.com`. */
import * as z from "zod";

const HOST_CHARACTERS_MAX = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}$|^\[/;
const WILDCARD = "*.";

/**
 * Returns a host as browsers write it in a URL: lower case, IDNA in ASCII, addresses in their usual form, without a
 * final dot.
 * @returns undefined for a text that is no host
 */
function normalHost(text: string): string | undefined {
  const isIpV6 = text.startsWith("[") && text.endsWith("]");
  const refused = isIpV6 ? /[^[\]0-9a-f:.]/i : /[\s/\\?#@:%[\]<>^|*]/;
  if (text === "" || refused.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  return withoutFinalDot(new URL(`http://${text}`).hostname);
}

/** Returns a host without the dot that may end an absolute name. */
function withoutFinalDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Returns a host pattern in its stored form, or a sentence about why the text is none. */
function parseHostPattern(text: string): { pattern: string } | { problem: string } {
  const isWildcard = text.startsWith(WILDCARD);
  const name = isWildcard ? text.slice(WILDCARD.length) : text;
  if (name.includes("*"))
    return {
      problem: "* stands for the hosts below a domain and is only taken at the beginning: *.example.com",
    };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name) || /[/?#@]/.test(name))
    return { problem: "expected a host without scheme, path or user: cdn.example.com or *.example.com" };
  if (/^[^[\]:]*:\d*$/.test(name)) return { problem: "expected a host without a port: every port counts" };
  const host = normalHost(name);
  if (host === undefined) return { problem: "expected a host: cdn.example.com or *.example.com" };
  if (ADDRESS.test(host))
    return isWildcard ? { problem: "an address has no hosts below it" } : { pattern: host };
  if (host.length > HOST_CHARACTERS_MAX || !host.split(".").every((label) => LABEL.test(label)))
    return {
      problem: "expected a host: labels of up to 63 letters, digits and hyphens, 253 characters in all",
    };
  return { pattern: isWildcard ? `${WILDCARD}${host}` : host };
}

/** Schema of a host pattern. The parsed value is the stored form: lower case, IDNA in ASCII. */
export const hostPatternSchema = z
  .string()
  .max(1_000, "expected a host: cdn.example.com or *.example.com")
  .transform((text, context) => {
    const parsed = parseHostPattern(text);
    if ("pattern" in parsed) return parsed.pattern;
    context.addIssue({ code: "custom", message: parsed.problem });
    return z.NEVER;
  });

/** A host pattern with what it stands for. */
interface Patterned {
  hostPattern: string;
}

/**
 * Returns the function that finds which of the patterns match a host. Its cost depends on the labels of the host, not on the
 * number of patterns.
 */
export function hostMatcher<Pattern extends Patterned>(
  patterns: readonly Pattern[],
): (host: string) => readonly Pattern[] {
  const byText = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    const known = byText.get(pattern.hostPattern);
    if (known) known.push(pattern);
    else byText.set(pattern.hostPattern, [pattern]);
  }
  return (requested) => {
    const host = withoutFinalDot(requested);
    const matching = [...(byText.get(host) ?? [])];
    for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1))
      matching.push(...(byText.get(`*${host.slice(dot)}`) ?? []));
    return matching;
  };
}
