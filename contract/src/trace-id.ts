/**
 * The trace id of a run, which follows from the run's check, location and slot, so that nobody has to store or ask for it. For Node.js
 * only, and so an entry of its own: the rest of the package runs in browsers, too. Pure.
 */
import { hash } from "node:crypto";
import type { CheckId, LocationId } from "./base/ids.ts";
import { TRACE_ID_BYTES } from "./wire/result-columns.ts";

/** One run of a check at one location. */
export interface TracedRun {
  checkId: CheckId;
  locationId: LocationId;
  /** The slot, Unix ms. */
  slotMs: number;
}

/**
 * Returns the W3C trace id that a run sends to its target, 32 hex digits: the first 16 bytes of the SHA-256 of the text
 * `checkId/locationId/slotMs` in UTF-8, such as `chk_01abc/loc_us_east/1795651200000`. Stored results rely on it: a change of the
 * formula would give runs of the past another id.
 */
export function traceIdOfRun({ checkId, locationId, slotMs }: TracedRun): string {
  return hash("sha256", `${checkId}/${locationId}/${slotMs}`, "hex").slice(0, 2 * TRACE_ID_BYTES);
}
