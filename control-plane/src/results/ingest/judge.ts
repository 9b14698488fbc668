/** Whether a result may be stored: a pure judgement of one row against what the replica knows of the fleet. */
import { DAY_MS, MINUTE_MS } from "@svc/contract";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { judgeSlot, type SlotVerdict } from "../../fleet/judge-slot.ts";
import type { ResultColumns } from "./columns.ts";

/** On whose behalf results come. */
export interface IngestSource {
  /** Runner key stored with the rows; 0: they came over REST. */
  runnerKey: number;
  /** Whether the credential covers the location (key); null in `locationKeys` means every hosted one. */
  locationKeys: ReadonlySet<number> | null;
  /** A dispatch token's one run; absent: any. */
  onlyRun?: { checkKey: number; locationKey: number; slotMs: number };
}

/** The verdict on a row. */
export type Verdict = SlotVerdict;

export interface JudgeContext {
  state: FleetState;
  nowMs: number;
  /** Results for slots before this instant are no longer kept. */
  retainedFromMs: number;
}

/** A slot this far ahead of the control plane's clock is a wrong clock, not a result. */
const FUTURE_MS_MAX = MINUTE_MS;
const START_DELAY_MS_MIN = -MINUTE_MS;
const START_DELAY_MS_MAX = 2 * DAY_MS;
const INT32_MAX = 2 ** 31 - 1;

/** Judges row `i`. */
export function judgeRow(
  columns: ResultColumns,
  i: number,
  source: IngestSource,
  context: JudgeContext,
): Verdict {
  const slotMs = columns.slotsMs[i] as number;
  const locationKey = columns.locationKeys[i] as number;
  const checkKey = columns.checkKeys[i] as number;
  const wrongValue = findWrongValue(columns, i);
  if (wrongValue) return { kind: "rejected", reason: wrongValue };
  return judgeKey({ checkKey, locationKey, slotMs }, source, context);
}

/** Judges whether the source may report of the slot at all, whatever it has to say. */
export function judgeKey(
  { checkKey, locationKey, slotMs }: { checkKey: number; locationKey: number; slotMs: number },
  source: IngestSource,
  context: JudgeContext,
): Verdict {
  if (slotMs > context.nowMs + FUTURE_MS_MAX)
    return { kind: "rejected", reason: `slot_ms ${slotMs} lies in the future: is the runner's clock right?` };
  if (slotMs < context.retainedFromMs)
    return { kind: "rejected", reason: `slot_ms ${slotMs} is older than results are kept` };
  const forbidden = findForbidden(checkKey, locationKey, slotMs, source, context.state);
  if (forbidden) return { kind: "rejected", reason: forbidden };
  return judgeSlot(checkKey, locationKey, slotMs, context.state);
}

function findForbidden(
  checkKey: number,
  locationKey: number,
  slotMs: number,
  source: IngestSource,
  state: FleetState,
): string | undefined {
  const { onlyRun, locationKeys } = source;
  if (onlyRun) {
    const isTheRun =
      onlyRun.checkKey === checkKey && onlyRun.locationKey === locationKey && onlyRun.slotMs === slotMs;
    return isTheRun ? undefined : "the dispatch token is for another run";
  }
  const isCovered = locationKeys === null ? isHosted(locationKey, state) : locationKeys.has(locationKey);
  return isCovered ? undefined : `the runner key does not cover location_key ${locationKey}`;
}

function isHosted(locationKey: number, state: FleetState): boolean {
  const location = state.location(locationKey);
  return location !== undefined && location.teamId === null;
}

/** The first value that the table can't hold or that can't be true. */
function findWrongValue(columns: ResultColumns, i: number): string | undefined {
  const status = columns.statuses[i] as number;
  if (!(status >= 1 && status <= 4)) return `status ${status} is unknown`;
  const delay = columns.startDelaysMs[i] as number;
  if (!(delay >= START_DELAY_MS_MIN && delay <= START_DELAY_MS_MAX))
    return `start_delay_ms ${delay} is out of range`;
  const httpStatusCode = columns.httpStatusCodes[i] as number;
  if (!(httpStatusCode >= 0 && httpStatusCode <= 999))
    return `http_status_code ${httpStatusCode} is out of range`;
  if (!isIn(columns.elapsedUs[i], 0)) return `elapsed_us ${columns.elapsedUs[i]} is out of range`;
  if (!isIn(columns.responseTimeUs[i], 0))
    return `response_time_us ${columns.responseTimeUs[i]} is out of range`;
  if (
    !isIn(columns.dnsLookupUs[i], -1) ||
    !isIn(columns.tcpConnectUs[i], -1) ||
    !isIn(columns.tlsHandshakeUs[i], -1) ||
    !isIn(columns.ttfbUs[i], -1) ||
    !isIn(columns.contentTransferUs[i], -1)
  )
    return "a phase is out of range: expected microseconds, or -1 when it did not happen";
  return undefined;
}

function isIn(value: number | undefined, min: number): boolean {
  return value !== undefined && value >= min && value <= INT32_MAX;
}
