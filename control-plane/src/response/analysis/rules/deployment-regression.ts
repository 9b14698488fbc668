/** Finds trouble that began shortly after a deployment. */
import { MINUTE_MS } from "@svc/contract";
import { failingLocations, startedAtMs } from "../input.ts";
import { slowLocations } from "../slowness.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { failureLine, readableMs, readableTime, targetOf } from "./words.ts";

const SOON_MS = 10 * MINUTE_MS;
const LOOK_BACK_MS = 30 * MINUTE_MS;
/** Error categories that a deployment of the service does not cause by itself. */
const NOT_BY_DEPLOYMENT = new Set(["dns", "tls"]);

/** Blames a deployment that was reported shortly before the check began to fail or to be slow. */
export const deploymentRegression = defineAnalysisRule("deployment_regression", (input) => {
  const failing = failingLocations(input).filter(
    ({ newest, samples, streak }) =>
      // Unless there was a success before, nobody knows when the trouble began.
      streak < samples.length && !NOT_BY_DEPLOYMENT.has(newest.category ?? ""),
  );
  const slow = slowLocations(input);
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
