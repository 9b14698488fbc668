/** Deployments shortly before the start are ruled in; hypothesis.ts lets them raise the confidence of the cause. */
import { minutesBetween } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Rules in each deployment that was reported shortly before the incident. */
export const deployments = defineHypothesisRule("deployments", ({ deployments: recent, openedAtMs }) => {
  if (recent.length === 0) return undefined;
  return {
    ruledIn: recent.map(
      ({ service, version, environment, atMs }) =>
        `deployment: ${service} ${version}${environment ? ` (${environment})` : ""}, ${minutesBetween(atMs, openedAtMs)} before`,
    ),
    isChange: true,
  };
});
