/** Tells checks that fail from all of their locations from those that fail only from some. */
import { listed } from "@svc/contract";
import type { LocationState } from "../../incidents/member-profile.ts";
import { distinct, type HypothesisInput, targetsOf } from "../input.ts";
import { type Clue, defineHypothesisRule } from "./define-rule.ts";

/** Most locations that one list names. */
const NAMES_MAX = 4;

/** Rules the locations in or out, by whether the members fail from all of theirs. */
export const spread = defineHypothesisRule("spread", (input) => {
  const { members } = input;
  const several = members
    .map(({ locationStates }) => locationStates)
    .filter((states) => states.length > 1 && states.some(({ isFailing }) => isFailing));
  if (several.length === 0) return undefined;
  const failing = namesOf(several.flat().filter(({ isFailing }) => isFailing));
  if (several.flat().every(({ isFailing }) => isFailing))
    return { ruledOut: [`location: fails from all of ${listed(failing, NAMES_MAX)}`] };
  const states = members.flatMap(({ locationStates }) => locationStates);
  const fine = states.filter(({ isFailing, locationName }) => !isFailing && !failing.includes(locationName));
  if (fine.length === 0) return undefined;
  return partialSpread(input, { failing, fine: namesOf(fine), isOnTheWay: isOnTheWay(states, fine) });
});

interface PartialSpread {
  failing: readonly string[];
  fine: readonly string[];
  /** True when the way to the target is the likelier cause than the target. */
  isOnTheWay: boolean;
}

/** Error categories of failures before any answer. */
const BEFORE_ANSWER = new Set(["dns", "connect", "tls", "timeout"]);
/** Above the layer that fails, which is where the way is broken. */
const CONFIDENCE = 0.81;

/** True when all failures came before any answer, while another location has had a success since. */
function isOnTheWay(states: readonly LocationState[], fine: readonly LocationState[]): boolean {
  const failing = states.filter(({ isFailing }) => isFailing);
  const sinceMs = Math.max(...failing.map(({ failingSinceMs, slotMs }) => failingSinceMs ?? slotMs));
  return (
    failing.every(
      ({ errorCategory, httpStatusCode }) =>
        BEFORE_ANSWER.has(errorCategory ?? "") && httpStatusCode === null,
    ) && fine.some(({ slotMs }) => slotMs >= sinceMs)
  );
}

function partialSpread(
  input: Pick<HypothesisInput, "members">,
  { failing, fine, isOnTheWay: onTheWay }: PartialSpread,
): Clue {
  const cause = {
    summary: `${targetsOf(input)} fails from ${listed(failing, NAMES_MAX)} and works from ${listed(fine, NAMES_MAX)}: the way from there, or a server near there, is the likely cause`,
    confidence: CONFIDENCE,
  };
  return {
    ...(onTheWay && { cause }),
    ruledIn: [`location: fails from ${listed(failing, NAMES_MAX)}, succeeds from ${listed(fine, NAMES_MAX)}`],
  };
}

/** Returns the names of the locations, each once. */
function namesOf(states: readonly LocationState[]): string[] {
  return distinct(states.map(({ locationName }) => locationName));
}
