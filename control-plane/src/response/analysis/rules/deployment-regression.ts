/** Finds trouble that began shortly after a deployment. */
import { MINUTE_MS } from "@svc/contract";
import { failureReasons } from "../../failures/registry.ts";
import type { PhaseKey } from "../../phases.ts";
import {
  type AnalysisInput,
  type FailingLocation,
  failingLocations,
  measuredLocations,
  startedAtMs,
} from "../input.ts";
import { type Slowness, slowLocations } from "../slowness.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { failureLine, readableMs, readableTime, targetOf } from "./words.ts";

const SOON_MS = 10 * MINUTE_MS;
const LOOK_BACK_MS = 30 * MINUTE_MS;
/** Error categories that a deployment of the service does not cause by itself. */
const NOT_BY_DEPLOYMENT = new Set(["dns", "tls"]);
/** Phases that end before the service has any part in the answer. */
const BEFORE_THE_SERVICE = new Set<PhaseKey>(["dnsLookupMs", "tcpConnectMs"]);

/** Blames a deployment that was reported shortly before the check began to fail or to be slow. */
export const deploymentRegression = defineAnalysisRule("deployment_regression", (input) => {
  const failing = failingByService(input);
  const slow = slowLocations(input).filter(isSlowByService);
  if (failing.length === 0 && slow.length === 0) return undefined;
  const beganMs = failing.length > 0 ? startedAtMs(failing) : Math.min(...slow.map(({ sinceMs }) => sinceMs));
  const deployment = input.deployments.find(({ atMs }) => atMs <= beganMs && atMs > beganMs - LOOK_BACK_MS);
  if (!deployment) return undefined;
  const { service, version, atMs } = deployment;
  const minutes = Math.round((beganMs - atMs) / MINUTE_MS);
  const trouble = failing.length > 0 ? "fails" : "got slower";
  const slowLines = slow.map(
    ({ locationId, beforeMs, nowMs }) =>
      `${locationId}: ${readableMs(nowMs)} instead of ${readableMs(beforeMs)}`,
  );
  return {
    severity: failing.length > 0 ? "critical" : "warning",
    confidence: beganMs - atMs <= SOON_MS ? 0.96 : 0.88,
    summary: `${targetOf(input)} ${trouble} since ${readableTime(beganMs)}, ${minutes} min after ${service} ${version} was deployed: that deployment is the likely cause.`,
    evidence: [
      `deployment of ${service} ${version} at ${readableTime(atMs)}`,
      ...failing.map(failureLine),
      ...(failing.length > 0 ? [] : slowLines),
    ],
  };
});

/** Returns the failing locations that a deployment may explain; none when most locations are well, which run the same version. */
function failingByService(input: AnalysisInput): FailingLocation[] {
  const failing = failingLocations(input);
  if (failing.length * 2 <= measuredLocations(input).length) return [];
  return failing.filter(
    ({ newest, samples, streak }) =>
      // Unless there was a success before, nobody knows when the trouble began.
      streak < samples.length &&
      !NOT_BY_DEPLOYMENT.has(newest.category ?? "") &&
      !failureReasons.members.some((reason) => reason.isForeign && reason.explains(newest)),
  );
}

function isSlowByService({ phase }: Slowness): boolean {
  return phase === undefined || !BEFORE_THE_SERVICE.has(phase.key);
}
