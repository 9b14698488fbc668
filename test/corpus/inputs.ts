/** Turns recordings into the inputs of analysis and hypothesis, by the code that makes them of stored rows. */
import {
  type CheckId,
  checkTypes,
  isSuccessCode,
  type LocationId,
  STATUS_CODES,
  type Timing,
} from "@svc/contract";
import { hostOf } from "../../control-plane/src/checks/target-host.ts";
import type { AnalysisInput } from "../../control-plane/src/response/analysis/input.ts";
import { sampleOf } from "../../control-plane/src/response/analysis/sample.ts";
import { evidenceOf } from "../../control-plane/src/response/failures/evidence.ts";
import {
  CHANGE_LOOK_BACK_MS,
  type HypothesisInput,
} from "../../control-plane/src/response/hypothesis/input.ts";
import type {
  LocationState,
  MemberProfile,
} from "../../control-plane/src/response/incidents/member-profile.ts";
import {
  RESULTS_PER_LOCATION,
  stateOfLocation,
} from "../../control-plane/src/response/incidents/state-of-location.ts";
import { NOW_MS, type RecordedCheck, type RecordedResult, type Recording } from "./recording.ts";

const asIs = (text: string) => text;
/** Longest message that the profile of a member keeps. */
const MESSAGE_MAX = 300;

/** Returns the input of an analysis of the recording's first check. */
export function analysisInputOf({ checks, deployments }: Recording): AnalysisInput {
  const [check] = checks as [RecordedCheck];
  return {
    nowMs: NOW_MS,
    check: {
      name: check.name,
      host: hostOf(targetOf(check)),
      isEnabled: true,
      frequencySeconds: check.frequencySeconds,
    },
    locations: Object.entries(check.results).map(([locationId, results]) => ({
      locationId: locationId as LocationId,
      samples: results.map((result, index) => {
        const detail = detailOf(check, result);
        const isNewestFailure = results.findIndex(isFailure) === index;
        const [ago, status, httpStatusCode] = result;
        return sampleOf(
          {
            status,
            httpStatusCode,
            timing: timingOf(result),
            slotAt: new Date(NOW_MS - ago * 1000).toISOString(),
            errorCategory: detail?.errorCategory ?? null,
            errorMessage: detail?.errorMessage ?? null,
          },
          asIs,
          isNewestFailure && detail ? evidenceOf(detail) : undefined,
        );
      }),
    })),
    deployments: deployments.map(({ service, version, agoSeconds }) => ({
      service,
      version,
      atMs: NOW_MS - agoSeconds * 1000,
    })),
    missing: check.missing.map((slots) => ({ ...slots, locationId: slots.locationId as LocationId })),
    certificate: check.certificate && {
      validToMs: NOW_MS + check.certificate.validForSeconds * 1000,
      isTrusted: check.certificate.isTrusted,
      trustError: check.certificate.trustError,
    },
  };
}

/**
 * Returns the input of the hypothesis of the incident that the recording's alerts open; undefined when none began. It holds
 * what was known at the start of the incident: after the second failure in a row at a location, or the first if there is no
 * second.
 */
export function hypothesisInputOf({ checks, deployments }: Recording): HypothesisInput | undefined {
  const alerting = checks.filter(({ conditions }) => conditions.length > 0);
  if (alerting.length === 0) return undefined;
  const openedAtMs = NOW_MS - Math.max(...alerting.map(openedAgoSeconds)) * 1000;
  return {
    members: alerting.map((check, index) => memberOf(check, index)),
    checkCount: alerting.length,
    openedAtMs,
    shared: [],
    failingLocations: new Map(),
    neighbours: [],
    deployments: deployments
      .map(({ service, version, agoSeconds }) => ({
        service,
        version,
        environment: null,
        atMs: NOW_MS - agoSeconds * 1000,
      }))
      .filter(({ atMs }) => atMs <= openedAtMs && openedAtMs - atMs <= CHANGE_LOOK_BACK_MS),
    windows: [],
    runners: runnersOf(alerting),
  };
}

function memberOf(check: RecordedCheck, index: number): MemberProfile {
  const openedAgo = openedAgoSeconds(check);
  const locationStates = Object.entries(check.results).flatMap(([locationId, results]) => {
    const known = results.filter(([ago]) => ago >= openedAgo).slice(0, RESULTS_PER_LOCATION);
    return known.length === 0 ? [] : [stateOf(check, locationId as LocationId, known)];
  });
  const isAboutMissing = check.conditions.includes("missed_runs");
  return {
    checkId: `chk_${index}` as CheckId,
    checkName: check.name,
    checkType: check.type,
    conditions: check.conditions,
    summary: "",
    host: hostOf(targetOf(check)),
    labels: [],
    locationStates,
    locations: isAboutMissing
      ? check.missing.map(({ locationId }) => locationId)
      : locationStates.filter(({ isFailing }) => isFailing).map(({ locationName }) => locationName),
    certificate: check.certificate
      ? {
          fingerprintSha256: "AA",
          validTo: new Date(NOW_MS + check.certificate.validForSeconds * 1000).toISOString(),
          isTrusted: check.certificate.isTrusted,
          trustError: check.certificate.trustError,
          changedAtMs: null,
        }
      : null,
  };
}

function stateOf(
  check: RecordedCheck,
  locationId: LocationId,
  known: readonly RecordedResult[],
): LocationState {
  const results = known.map(([ago, status, httpStatusCode, phases]) => {
    const [totalUs, ...others] = phases.map((ms) => (ms === null ? null : ms * 1000));
    const [dnsLookupUs = null, tcpConnectUs = null, tlsHandshakeUs = null, ttfbUs = null] = others;
    return {
      status: STATUS_CODES[status],
      slotMs: NOW_MS - ago * 1000,
      httpStatusCode,
      responseTimeUs: totalUs ?? 0,
      dnsLookupUs,
      tcpConnectUs,
      tlsHandshakeUs,
      ttfbUs,
      contentTransferUs: others[4] ?? null,
    };
  });
  const [newest] = known as [RecordedResult];
  const detail = detailOf(check, newest);
  return {
    locationId,
    locationName: locationId,
    ...stateOfLocation(
      results,
      detail && {
        errorCategory: detail.errorCategory ?? null,
        errorMessage: detail.errorMessage?.slice(0, MESSAGE_MAX) ?? null,
        evident: detail,
      },
    ),
  };
}

/** Returns how long before the analysis the check's alert began, seconds. */
function openedAgoSeconds({ conditions, results, frequencySeconds }: RecordedCheck): number {
  if (!conditions.includes("consecutive_failures")) return 0;
  const byLocation = Object.values(results).map((ofLocation) => ofLocation.toReversed());
  const seconds = byLocation.flatMap((ofLocation) =>
    ofLocation.flatMap((result, index) => {
      const before = ofLocation[index - 1];
      return isFailure(result) && before && isFailure(before) ? [result[0]] : [];
    }),
  );
  const firsts = byLocation.flatMap((ofLocation) => ofLocation.filter(isFailure).map(([ago]) => ago));
  return Math.max(...(seconds.length > 0 ? seconds : firsts), frequencySeconds);
}

function isFailure([, status]: RecordedResult): boolean {
  return !isSuccessCode(STATUS_CODES[status]);
}

/** Returns the runners of the locations: none is alive where the newest slots were missing for want of one. */
function runnersOf(checks: readonly RecordedCheck[]): HypothesisInput["runners"] {
  return checks.flatMap(({ results, missing }) =>
    Object.keys(results).map((id) => ({
      locationId: id as LocationId,
      locationName: id,
      aliveCount: missing.some(({ locationId, reasons }) => locationId === id && reasons.no_runner) ? 0 : 1,
    })),
  );
}

function detailOf(check: RecordedCheck, [, , , , detail]: RecordedResult) {
  return detail === undefined ? undefined : check.details[detail];
}

function targetOf({ type, url }: RecordedCheck): string | null {
  return checkTypes.get(type).targetField === undefined || url === "" ? null : url;
}

function timingOf([, , , phases]: RecordedResult): Timing {
  const [totalMs, ...others] = phases;
  const names = ["dnsLookupMs", "tcpConnectMs", "tlsHandshakeMs", "ttfbMs", "contentTransferMs"];
  const happened = names.flatMap((name, index) => {
    const ms = others[index];
    return ms === null || ms === undefined ? [] : [[name, ms] as const];
  });
  return { ...Object.fromEntries(happened), totalMs };
}
