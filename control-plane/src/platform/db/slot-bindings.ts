import { HOUR_MS, type WholeMs, wholeMs } from "@svc/contract";

/** Bindings of a statement that reads rows of these slots. */
export interface SlotBindings {
  slots: WholeMs[];
  minSlot: WholeMs;
  maxSlot: WholeMs;
}

/** Returns slots with their bounds, which as constants let the planner leave out all other partitions. */
export function slotBindings(rows: readonly { slotMs: number }[]): SlotBindings {
  const slots = rows.map(({ slotMs }) => wholeMs(slotMs));
  return {
    slots,
    minSlot: slots.reduce((a, b) => (b < a ? b : a), wholeMs(Number.MAX_SAFE_INTEGER)),
    maxSlot: slots.reduce((a, b) => (b > a ? b : a), wholeMs(0)),
  };
}

/** Returns an instant that no result's slot lies behind: ingest refuses those that are further ahead of its clock than a minute. */
export function newestToMs(nowMs: number): WholeMs {
  return wholeMs(nowMs + HOUR_MS);
}
