/** Where it fails and where it doesn't: the target, or the way to it. */
import { counted, listed } from "@svc/contract";
import { failingPlaces } from "../incidents/facts.ts";
import { distinct, type Finding, type HypothesisFacts, type HypothesisRule } from "./finding.ts";

/** A location that fails as a whole explains its members better than anything about their targets. */
export const failingLocation: HypothesisRule = ({ members, failingLocations, runners }) => {
  const failing = members.flatMap(failingPlaces);
  const ids = distinct(failing.map(({ locationId }) => locationId));
  const [id] = ids;
  const whole = id === undefined || ids.length > 1 ? undefined : failingLocations.get(id);
  if (id === undefined || !whole) return undefined;
  const name = failing.find(({ locationId }) => locationId === id)?.locationName ?? id;
  const share = whole.failing / whole.total;
  const alive = runners.find(({ locationId }) => locationId === id)?.aliveCount;
  return {
    cause: {
      summary: `${name} or its network is the likely cause: ${whole.failing} of ${counted(whole.total, "check")} fail from there`,
      confidence: 0.6 + 0.35 * share,
    },
    ruledIn: [`location: ${whole.failing} of ${counted(whole.total, "check")} at ${name} fail there`],
    ruledOut: [
      ...(members.some(({ places }) => places.length > 1)
        ? ["target: the same checks succeed from other locations"]
        : []),
      ...(alive ? [`runner: ${counted(alive, "runner")} at ${name} alive and reporting`] : []),
    ],
  };
};

/** No runner reports from a location whose slots stay empty. */
export const missingRuns: HypothesisRule = ({ members, runners }) => {
  const missing = members.filter(({ conditions }) => conditions.includes("missed_runs"));
  if (missing.length === 0) return undefined;
  const names = distinct(missing.flatMap(({ locations }) => locations));
  const dead = runners.filter(
    ({ locationName, aliveCount }) => names.includes(locationName) && aliveCount === 0,
  );
  const where = listed(names);
  if (dead.length > 0)
    return {
      cause: { summary: `Checks do not run at ${where}: no runner there is alive`, confidence: 0.9 },
      ruledIn: dead.map(({ locationName }) => `runner: none alive at ${locationName}`),
      ruledOut: ["target: nothing was measured, so nothing speaks against it"],
    };
  return {
    cause: { summary: `Checks do not run at ${where}, though runners there are alive`, confidence: 0.5 },
    ruledIn: [`runner: slots at ${where} stay without a result`],
  };
};

/** Everywhere, or only in places. */
export const spread: HypothesisRule = (facts) => {
  const several = facts.members.filter(
    ({ places }) => places.length > 1 && places.some(({ isFailing }) => isFailing),
  );
  if (several.length === 0) return undefined;
  const everywhere = several.every(({ places }) => places.every(({ isFailing }) => isFailing));
  const places = several.flatMap((member) => member.places);
  const failing = distinct(
    places.filter(({ isFailing }) => isFailing).map(({ locationName }) => locationName),
  );
  if (everywhere) return { ruledOut: [`location: fails from all of ${listed(failing, 4)}`] };
  return partial(facts, failing);
};

function partial({ members }: HypothesisFacts, failing: readonly string[]): Finding | undefined {
  const fine = distinct(
    members
      .flatMap(({ places }) => places)
      .map(({ isFailing, locationName }) => (isFailing ? null : locationName)),
  ).filter((name) => !failing.includes(name));
  if (fine.length === 0) return undefined;
  return { ruledIn: [`location: fails from ${listed(failing, 4)}, succeeds from ${listed(fine, 4)}`] };
}
