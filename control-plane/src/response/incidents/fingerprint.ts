/** What an incident's members share: what it is recognised by when it comes again. Pure. */
import { createHash } from "node:crypto";
import { DAY_MS } from "@svc/contract";
import type { Dimension } from "./dimensions.ts";

/** An incident that ended within this time is named when its fingerprint comes again. */
export const RECURRENCE_MS = 30 * DAY_MS;
export const RECURRENCES_MAX = 10;

/** How many members have a dimension. */
export type DimensionCounts = ReadonlyMap<Dimension, number>;

/** What all members share; where nothing is common to all, since they belong together in a chain, what two of them do. */
export function sharedDimensions(counts: DimensionCounts, memberCount: number): Dimension[] {
  const heldBy = (least: number) =>
    [...counts].filter(([, count]) => count >= least).map(([dimension]) => dimension);
  const byAll = heldBy(memberCount);
  return (byAll.length > 0 ? byAll : heldBy(2)).sort();
}

/** 64 hex digits. */
export function fingerprintHash(dimensions: readonly Dimension[]): string {
  return createHash("sha256")
    .update([...dimensions].sort().join("\n"))
    .digest("hex");
}
