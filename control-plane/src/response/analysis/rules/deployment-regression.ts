/** The trouble began shortly after something was deployed. */
import { MINUTE_MS } from "@svc/contract";
import { failingPlaces, startedAtMs } from "../facts.ts";
import { type AnalysisRule, at, failureLine, ms, targetOf } from "../finding.ts";
import { slowPlaces } from "./slow-phase.ts";

const SOON_MS = 600_000;
const LOOK_BACK_MS = 1_800_000;
/** What a deployment does not break by itself. */
const NOT_BY_DEPLOYMENT = new Set(["dns", "tls"]);

export const deploymentRegression: AnalysisRule = (facts) => {
  const failing = failingPlaces(facts).filter(
    ({ newest, samples, streak }) =>
      // Without a success before, when it began is not known.
      streak < samples.length && !NOT_BY_DEPLOYMENT.has(newest.category ?? ""),
  );
  const slow = slowPlaces(facts);
  if (failing.length === 0 && slow.length === 0) return undefined;
  const beganMs = failing.length > 0 ? startedAtMs(failing) : Math.min(...slow.map(({ sinceMs }) => sinceMs));
  const deployment = facts.deployments.find(({ atMs }) => atMs <= beganMs && atMs > beganMs - LOOK_BACK_MS);
  if (!deployment) return undefined;
  const { service, version, atMs } = deployment;
  const minutes = Math.round((beganMs - atMs) / MINUTE_MS);
  const trouble = failing.length > 0 ? "fails" : "got slower";
  return {
    type: "deployment_regression",
    severity: failing.length > 0 ? "critical" : "warning",
    confidence: beganMs - atMs <= SOON_MS ? 0.96 : 0.88,
    summary: `${targetOf(facts)} ${trouble} since ${at(beganMs)}, ${minutes} min after ${service} ${version} was deployed: that deployment is the likely cause.`,
    evidence: [
      `deployment of ${service} ${version} at ${at(atMs)}`,
      ...failing.map(failureLine),
      ...(failing.length > 0
        ? []
        : slow.map(
            ({ locationId, beforeMs, nowMs }) => `${locationId}: ${ms(nowMs)} instead of ${ms(beforeMs)}`,
          )),
    ],
  };
};
