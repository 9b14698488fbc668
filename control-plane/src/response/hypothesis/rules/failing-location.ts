/** A location that fails as a whole explains its members better than anything about their targets. */
import { counted } from "@svc/contract";
import { failingStates } from "../../incidents/member-profile.ts";
import { distinct } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Blames the only location where the members fail, when that location fails as a whole. */
export const failingLocation = defineHypothesisRule("failing_location", (input) => {
  const { members, failingLocations, runners } = input;
  const failing = members.flatMap(failingStates);
  const [id, ...others] = distinct(failing.map(({ locationId }) => locationId));
  const checks = id === undefined || others.length > 0 ? undefined : failingLocations.get(id);
  if (id === undefined || !checks) return undefined;
  const name = failing.find(({ locationId }) => locationId === id)?.locationName ?? id;
  const share = checks.failing / checks.total;
  const alive = runners.find(({ locationId }) => locationId === id)?.aliveCount;
  const total = counted(checks.total, "check");
  return {
    cause: {
      summary: `${name} or its network is the likely cause: ${checks.failing} of ${total} fail from there`,
      confidence: 0.6 + 0.35 * share,
    },
    ruledIn: [`location: ${checks.failing} of ${total} at ${name} fail there`],
    ruledOut: [
      ...(members.some(({ locationStates }) => locationStates.length > 1)
        ? ["target: the same checks succeed from other locations"]
        : []),
      ...(alive ? [`runner: ${counted(alive, "runner")} at ${name} alive and reporting`] : []),
    ],
  };
});
