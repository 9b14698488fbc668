/** Tells checks that fail from all of their locations from those that fail only from some. */
import { listed } from "@svc/contract";
import type { LocationState } from "../../incidents/member-profile.ts";
import { distinct } from "../input.ts";
import { type Clue, defineHypothesisRule } from "./define-rule.ts";

/** Most locations that one list names. */
const NAMES_MAX = 4;

/** Rules the locations in or out, by whether the members fail from all of theirs. */
export const spread = defineHypothesisRule("spread", ({ members }) => {
  const several = members
    .map(({ locationStates }) => locationStates)
    .filter((states) => states.length > 1 && states.some(({ isFailing }) => isFailing));
  if (several.length === 0) return undefined;
  const failing = namesOf(several.flat().filter(({ isFailing }) => isFailing));
  if (several.flat().every(({ isFailing }) => isFailing))
    return { ruledOut: [`location: fails from all of ${listed(failing, NAMES_MAX)}`] };
  const states = members.flatMap(({ locationStates }) => locationStates);
  return partialSpread(
    failing,
    namesOf(states.filter(({ isFailing }) => !isFailing)).filter((name) => !failing.includes(name)),
  );
});

function partialSpread(failing: readonly string[], fine: readonly string[]): Clue | undefined {
  if (fine.length === 0) return undefined;
  return {
    ruledIn: [`location: fails from ${listed(failing, NAMES_MAX)}, succeeds from ${listed(fine, NAMES_MAX)}`],
  };
}

/** Returns the names of the locations, each once. */
function namesOf(states: readonly LocationState[]): string[] {
  return distinct(states.map(({ locationName }) => locationName));
}
