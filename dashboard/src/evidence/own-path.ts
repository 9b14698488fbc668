/** Paths of the service's files. */

/** Returns path and query of a link of the service: the pages may be open under another name of it. */
export function ownPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return `${pathname}${search}`;
}
