/** Marks what strangers wrote: a target, its pages and servers, or whoever answered a notification. */

/**
 * Returns the field `untrusted` with those of the values that there are, to be spread into a record; no field when there are
 * none.
 */
export function untrusted(values: Readonly<Record<string, unknown>>): {
  untrusted?: Record<string, unknown>;
} {
  const present = Object.entries(values).filter(([, value]) => !isAbsent(value));
  return present.length === 0 ? {} : { untrusted: Object.fromEntries(present) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
