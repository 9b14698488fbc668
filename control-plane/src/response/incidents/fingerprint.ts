/** The fingerprint of an incident: the dimensions that its members share, by which a recurrence is recognised. Pure. */
import { createHash } from "node:crypto";
import { DAY_MS } from "@svc/contract";
import type { Dimension } from "./dimensions.ts";

/** Time after its end for which an incident is named as the predecessor of one with its fingerprint. */
export const RECURRENCE_MS = 30 * DAY_MS;
/** Most earlier incidents that an incident names as its recurrences. */
export const RECURRENCES_MAX = 10;

/** Number of members that have a dimension, by dimension. */
export type DimensionCounts = ReadonlyMap<Dimension, number>;

/**
 * Returns the dimensions that all members share. Members that belong together only in a chain may share none: then the
 * dimensions of at least two of them.
 */
export function sharedDimensions(counts: DimensionCounts, memberCount: number): Dimension[] {
  const heldBy = (membersMin: number) =>
    [...counts].filter(([, count]) => count >= membersMin).map(([dimension]) => dimension);
  const byAll = heldBy(memberCount);
  return (byAll.length > 0 ? byAll : heldBy(2)).sort();
}

/** Returns the SHA-256 of the dimensions, 64 hexadecimal digits. */
export function fingerprintHash(dimensions: readonly Dimension[]): string {
  return createHash("sha256")
    .update([...dimensions].sort().join("\n"))
    .digest("hex");
}
