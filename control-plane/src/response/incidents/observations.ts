/** Observations: a summary of what the checks of each type saw, for the events of an incident. Pure. */
import {
  checkTypes,
  type IncidentObservations,
  incidentSourceOf,
  observationBlockOf,
  type SourceObservation,
} from "@svc/contract";
import { domainOf } from "./dimensions.ts";
import { failingStates, type MemberProfile } from "./member-profile.ts";

const CHECKS_MAX = 100;
const VALUES_MAX = 20;
const MESSAGES_MAX = 5;

/** A member as observations need it. */
export interface ObservedMember {
  profile: MemberProfile;
  /** Unix ms. */
  startedAtMs: number;
}

/** Returns the observations of the members, one block per type of check. */
export function observationsOf(members: readonly ObservedMember[]): IncidentObservations {
  const types = checkTypes.types.filter((type) => members.some(({ profile }) => profile.checkType === type));
  return {
    sources: types.map(incidentSourceOf),
    ...Object.fromEntries(
      types.map((type) => [
        observationBlockOf(type),
        blockOf(members.filter(({ profile }) => profile.checkType === type)),
      ]),
    ),
  };
}

function blockOf(members: readonly ObservedMember[]): SourceObservation {
  const profiles = members.map(({ profile }) => profile);
  const failing = profiles.flatMap(failingStates);
  const checks = new Map(
    profiles.flatMap(({ checkId, checkName }) => (checkId === null ? [] : [[checkId, checkName] as const])),
  );
  const messages = profiles.flatMap((profile) => {
    const own = failingStates(profile).flatMap(({ errorMessage }) => errorMessage ?? []);
    return own.length > 0 ? own : [profile.summary];
  });
  return {
    affectedChecks: [...checks].slice(0, CHECKS_MAX).map(([checkId, checkName]) => ({ checkId, checkName })),
    symptomWindow: {
      startedAt: new Date(Math.min(...members.map(({ startedAtMs }) => startedAtMs))).toISOString(),
    },
    errorSignature: {
      httpStatusCodes: distinct(failing.map(({ httpStatusCode }) => httpStatusCode)).sort((a, b) => a - b),
      errorCategories: distinct(failing.map(({ errorCategory }) => errorCategory)).sort(),
      locationsAffected: distinct(profiles.flatMap(({ locations }) => locations)).sort(),
      sampleMessages: distinct(messages).slice(0, MESSAGES_MAX),
    },
    sharedFailingDomains: sharedDomains(profiles),
  };
}

/**
 * Returns the domains of more than one check, or of the one check there is. A host without a domain counts as one.
 */
function sharedDomains(profiles: readonly MemberProfile[]): string[] {
  const checks = new Map<string, Set<string>>();
  for (const { host, checkId } of profiles)
    if (host !== null) {
      const domain = domainOf(host) ?? host;
      checks.set(domain, (checks.get(domain) ?? new Set()).add(checkId ?? ""));
    }
  const isSingle = new Set(profiles.map(({ checkId }) => checkId)).size === 1;
  return [...checks]
    .filter(([, ids]) => isSingle || ids.size > 1)
    .map(([domain]) => domain)
    .sort()
    .slice(0, VALUES_MAX);
}

function distinct<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))].slice(0, VALUES_MAX) as T[];
}
