/** Tells a domain of which no name can be resolved, such as one whose registration has lapsed, from a single name. */
import { listed } from "@svc/contract";
import { domainOf } from "../../incidents/dimensions.ts";
import type { MemberProfile } from "../../incidents/member-profile.ts";
import { distinct, type HypothesisInput } from "../input.ts";
import { type Clue, defineHypothesisRule } from "./define-rule.ts";

/** Number of names from which on their common domain is a likelier cause than each of them. */
const NAMES_MIN = 2;

/**
 * Blames a domain of which at least two watched names can't be resolved and none can; rules the domain out when
 * one can.
 */
export const unresolvedDomain = defineHypothesisRule("unresolved_domain", (input) => {
  const unresolved = distinct(input.members.filter(failsInDns).map(({ host }) => host));
  const domains = distinct(unresolved.map(domainOf));
  const [domain] = domains;
  // Names of several domains have more in common than either domain's name servers.
  if (domain === undefined || domains.length > 1) return undefined;
  const [resolved] = namesThatResolve(input).filter((name) => domainOf(name) === domain);
  if (resolved !== undefined) return someResolve(domain, resolved);
  const names = unresolved.filter((name) => domainOf(name) === domain);
  if (names.length < NAMES_MIN) return undefined;
  return {
    cause: {
      summary: `No watched name of ${domain} can be resolved: look at its name servers, its delegation and its registration`,
      confidence: 0.85,
    },
    ruledIn: [`domain: ${listed(names)} can't be resolved`],
  };
});

function someResolve(domain: string, name: string): Clue {
  return { ruledOut: [`domain: ${name} resolves, so the name servers of ${domain} answer`] };
}

function failsInDns({ locationStates }: MemberProfile): boolean {
  return locationStates.some(({ isFailing, errorCategory }) => isFailing && errorCategory === "dns");
}

/** Returns the names that some location resolved: a check of theirs succeeds there, or fails in a later phase. */
function namesThatResolve({ members, neighbours }: HypothesisInput): string[] {
  const ofMembers = members.filter(({ locationStates }) =>
    locationStates.some(
      ({ isFailing, errorCategory }) =>
        !isFailing || (errorCategory !== null && !PERHAPS_UNRESOLVED.has(errorCategory)),
    ),
  );
  const ofNeighbours = neighbours.filter(({ isFailing }) => !isFailing);
  return distinct([...ofMembers, ...ofNeighbours].map(({ host }) => host));
}

/** Error categories of failures that may have happened before the name was resolved. */
const PERHAPS_UNRESOLVED = new Set(["dns", "timeout", "script"]);
