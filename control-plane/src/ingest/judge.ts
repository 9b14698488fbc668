/** Whether a result may be stored: a pure judgement of one row against what the replica knows of the fleet. */
import { isSlot } from "@svc/contract";
import type { FleetState } from "../scheduling/fleet-state.ts";
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

/** The verdict on a row. `unsure`: what is known may be out of date; to be asked again after a look at the database. */
export type Verdict =
  | { kind: "accepted" }
  | { kind: "rejected"; reason: string }
  | { kind: "unsure"; about: "check" | "location" | "slot"; reason: string };

export interface JudgeContext {
  state: FleetState;
  nowMs: number;
  /** Results for slots before this instant are no longer kept. */
  retainedFromMs: number;
}

/** A slot this far ahead of the control plane's clock is a wrong clock, not a result. */
const FUTURE_MS_MAX = 60_000;
const START_DELAY_MS_MIN = -60_000;
const START_DELAY_MS_MAX = 2 * 86_400_000;
const INT32_MAX = 2 ** 31 - 1;

const ACCEPTED: Verdict = { kind: "accepted" };

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
  if (slotMs > context.nowMs + FUTURE_MS_MAX)
    return { kind: "rejected", reason: `slot_ms ${slotMs} lies in the future: is the runner's clock right?` };
  if (slotMs < context.retainedFromMs)
    return { kind: "rejected", reason: `slot_ms ${slotMs} is older than results are kept` };
  const forbidden = findForbidden(checkKey, locationKey, slotMs, source, context.state);
  if (forbidden) return { kind: "rejected", reason: forbidden };
  return judgeSchedule(checkKey, locationKey, slotMs, context.state);
}

function judgeSchedule(checkKey: number, locationKey: number, slotMs: number, state: FleetState): Verdict {
  const check = state.check(checkKey);
  if (!check)
    return {
      kind: "unsure",
      about: "check",
      reason: `check_key ${checkKey}: no such check, or it was deleted`,
    };
  const location = state.location(locationKey);
  if (location?.teamId && location.teamId !== check.teamId)
    return { kind: "rejected", reason: `location_key ${locationKey} belongs to another team than the check` };
  let isAtLocation = false;
  for (const schedule of check.schedules) {
    if (!schedule.locationKeys.includes(locationKey)) continue;
    isAtLocation = true;
    if (isSlot(slotMs, schedule.periodMs, schedule.phaseMs)) return ACCEPTED;
  }
  return isAtLocation
    ? {
        kind: "unsure",
        about: "slot",
        reason: `slot_ms ${slotMs} is neither a slot of the check nor a manual run`,
      }
    : { kind: "unsure", about: "location", reason: `location_key ${locationKey} is not one of the check's` };
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
