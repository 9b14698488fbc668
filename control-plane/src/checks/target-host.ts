/** Hosts of the targets that checks have. Pure. */

/** Matches a target that is a host alone, with or without a port. A single word is none. */
const HOST_ALONE = /^[\w-]+(?:\.[\w-]+)+\.?(?::\d+)?$/;

/** Returns the host of a target, a URL or a host alone, without its port; null when the target has none. */
export function hostOf(target: string | null): string | null {
  if (target === null) return null;
  const url = HOST_ALONE.test(target) ? `http://${target}` : target;
  if (!URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, "") || null;
}
