/** Makes the state of a location from its newest results. Pure. */
import { isSuccessCode, STATUS_CODES } from "@svc/contract";
import { type EvidentDetail, evidenceOf } from "../failures/evidence.ts";
import { mainPhaseOf } from "../phases.ts";
import type { LocationState } from "./member-profile.ts";
import type { FailureDetail } from "./profile-store.ts";

/** Newest results of a location that are read, to find out since when it fails. */
export const RESULTS_PER_LOCATION = 4;

/** Error categories of failures whose stored detail names none. */
const CATEGORY_OF_STATUS: Record<number, string | undefined> = {
  [STATUS_CODES.failure]: "assertion",
  [STATUS_CODES.timeout]: "timeout",
};

/** A result by its status code; the slot is Unix ms. */
interface NewResult {
  status: number;
  slotMs: number;
  httpStatusCode: number | null;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tcpConnectUs?: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
}

/**
 * Returns the state of a location.
 * @param results of one location, newest first, at least one and at most {@link RESULTS_PER_LOCATION}
 * @param detail what is stored of the newest result, when it is a failure
 */
export function stateOfLocation(
  results: readonly NewResult[],
  detail: Pick<FailureDetail, "errorCategory" | "errorMessage" | "evident"> | undefined,
): Omit<LocationState, "locationId" | "locationName"> {
  const newest = results[0] as NewResult;
  const { status, slotMs, httpStatusCode } = newest;
  const isFailing = !isSuccessCode(status);
  const firstSuccess = results.findIndex((result) => isSuccessCode(result.status));
  const failures = firstSuccess < 0 ? results : results.slice(0, firstSuccess);
  return {
    isFailing,
    slotMs,
    failingSinceMs: failures.at(-1)?.slotMs ?? null,
    errorCategory: detail?.errorCategory ?? (isFailing ? CATEGORY_OF_STATUS[status] : null) ?? null,
    errorMessage: detail?.errorMessage ?? null,
    httpStatusCode: isFailing ? httpStatusCode : null,
    ...(isFailing ? notable(detail?.evident) : slow(newest)),
  };
}

/** Returns the evidence, unless it shows nothing: profiles are stored with each member. */
function notable(evident: EvidentDetail | null | undefined): Pick<LocationState, "evidence"> {
  if (!evident) return {};
  const evidence = evidenceOf(evident);
  const { asksToComeBack, hasOtherStructure, failedHosts, pageError } = evidence;
  return asksToComeBack || hasOtherStructure || failedHosts.length > 0 || pageError !== null
    ? { evidence }
    : {};
}

function slow(result: NewResult): Pick<LocationState, "mainPhase"> {
  const ms = (us: number | null | undefined) => (us ?? 0) / 1000;
  const mainPhase = mainPhaseOf({
    totalMs: ms(result.responseTimeUs),
    dnsLookupMs: ms(result.dnsLookupUs),
    tcpConnectMs: ms(result.tcpConnectUs),
    tlsHandshakeMs: ms(result.tlsHandshakeUs),
    ttfbMs: ms(result.ttfbUs),
    contentTransferMs: ms(result.contentTransferUs),
  });
  return mainPhase ? { mainPhase } : {};
}
