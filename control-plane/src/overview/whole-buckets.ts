/** Finds which buckets hold slots of one span alone, so that their counts are the span's. Pure. */
import type { SlotSpan } from "../results/coverage/expected-slots.ts";
import { BUCKET_MS } from "../results/rollups/buckets.ts";

/** Buckets that are counted whole, as instants in Unix ms; none where both are the same. */
export interface WholeBuckets {
  firstBucketMs: number;
  endBucketMs: number;
}

/**
 * Returns for each span the buckets that lie within it, are rolled up, and hold no slot of another span of its location. The first slots
 * of a span may lie before the last one of an earlier span, where a change of the schedule made the stagger longer.
 * @param spans of one check, the schedules' order kept
 */
export function wholeBuckets(spans: readonly SlotSpan[], rolledUpUntilMs: number): WholeBuckets[] {
  const buckets: WholeBuckets[] = Array.from(spans, () => ({ firstBucketMs: 0, endBucketMs: 0 }));
  const lastBefore = new Map<number, number>();
  for (const [i, { locationKey, firstSlotMs, lastSlotMs }] of spans.entries()) {
    const before = lastBefore.get(locationKey) ?? -1;
    (buckets[i] as WholeBuckets).firstBucketMs = ceiled(Math.max(firstSlotMs, before + 1));
    lastBefore.set(locationKey, Math.max(before, lastSlotMs));
  }
  const firstAfter = new Map<number, number>();
  for (const [i, { locationKey, firstSlotMs, lastSlotMs }] of [...spans.entries()].reverse()) {
    const after = firstAfter.get(locationKey) ?? Number.MAX_SAFE_INTEGER;
    const bucket = buckets[i] as WholeBuckets;
    const endMs = Math.min(lastSlotMs + 1, after, rolledUpUntilMs);
    bucket.endBucketMs = Math.max(bucket.firstBucketMs, Math.floor(endMs / BUCKET_MS) * BUCKET_MS);
    firstAfter.set(locationKey, Math.min(after, firstSlotMs));
  }
  return buckets;
}

function ceiled(instantMs: number): number {
  return Math.ceil(instantMs / BUCKET_MS) * BUCKET_MS;
}
