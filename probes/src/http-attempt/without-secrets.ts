/** Keeps secrets with the origin that they are meant for, on the machine of a person who tries a check out. */
import type { RedirectReview } from "../http/follow-redirects.ts";

/**
 * Returns the review of redirects that leave their origin. Beyond the headers that the probe itself drops then, those with a
 * secret are dropped.
 */
export function withoutSecrets(hasSecret: (text: string) => boolean): RedirectReview {
  return (from, to) => {
    if (from.url.origin === to.url.origin) return { kind: "follow", request: to };
    const headers = to.headers.filter(([, value]) => !hasSecret(value));
    return { kind: "follow", request: { ...to, headers } };
  };
}
