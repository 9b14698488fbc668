/** The target of a generated script: which page, and which origins belong to it. Pure. */
import { getDomain } from "tldts";

const URL_IN_TEXT = /\bhttps?:\/\/[^\s"'`)<>\\]+/i;

/** Returns the URL that a script is to begin with: the given one, or the first in the description; undefined: there is none. */
export function targetOf({
  targetUrl,
  description,
}: {
  targetUrl?: string | undefined;
  description: string;
}): URL | undefined {
  const text = targetUrl ?? URL_IN_TEXT.exec(description)?.[0]?.replace(/[.,;:!?]+$/, "");
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns the origins of the target: its own, and the one that it led to where both are of one site. */
export function ownOrigins(target: URL, reached: URL | undefined): string[] {
  const isReached = reached !== undefined && isOfSite(reached, target);
  return [...new Set([target.origin, ...(isReached ? [reached.origin] : [])])];
}

/** True when both have the same registrable domain, or, where they have none, the same host. */
export function isOfSite(one: URL, other: URL): boolean {
  if (one.hostname === other.hostname) return true;
  const domain = getDomain(one.hostname, { allowPrivateDomains: true });
  return domain !== null && domain === getDomain(other.hostname, { allowPrivateDomains: true });
}
