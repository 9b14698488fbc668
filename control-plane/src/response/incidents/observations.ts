/** What the checks of each type saw, as events tell it. Pure. */
import {
  checkTypes,
  type IncidentObservations,
  incidentSourceOf,
  observationBlockOf,
  type SourceObservation,
} from "@svc/contract";
import { domainOf } from "./dimensions.ts";
import { failingPlaces, type MemberFacts } from "./facts.ts";

const CHECKS_MAX = 100;
const VALUES_MAX = 20;
const MESSAGES_MAX = 5;

export interface ObservedMember {
  facts: MemberFacts;
  startedAtMs: number;
}

export function observationsOf(members: readonly ObservedMember[]): IncidentObservations {
  const types = checkTypes.types.filter((type) => members.some(({ facts }) => facts.checkType === type));
  return {
    sources: types.map(incidentSourceOf),
    ...Object.fromEntries(
      types.map((type) => [
        observationBlockOf(type),
        blockOf(members.filter(({ facts }) => facts.checkType === type)),
      ]),
    ),
  };
}

function blockOf(members: readonly ObservedMember[]): SourceObservation {
  const facts = members.map((member) => member.facts);
  const failing = facts.flatMap(failingPlaces);
  const checks = new Map(facts.map(({ checkId, checkName }) => [checkId, checkName]));
  const messages = facts.flatMap((one) => {
    const own = failingPlaces(one).flatMap(({ errorMessage }) => errorMessage ?? []);
    return own.length > 0 ? own : [one.summary];
  });
  return {
    affectedChecks: [...checks].slice(0, CHECKS_MAX).map(([checkId, checkName]) => ({ checkId, checkName })),
    symptomWindow: {
      startedAt: new Date(Math.min(...members.map(({ startedAtMs }) => startedAtMs))).toISOString(),
    },
    errorSignature: {
      httpStatusCodes: distinct(failing.map(({ httpStatusCode }) => httpStatusCode)).sort((a, b) => a - b),
      errorCategories: distinct(failing.map(({ errorCategory }) => errorCategory)).sort(),
      locationsAffected: distinct(facts.flatMap(({ locations }) => locations)).sort(),
      sampleMessages: distinct(messages).slice(0, MESSAGES_MAX),
    },
    sharedFailingDomains: sharedDomains(facts),
  };
}

/** Domains (or hosts without one) of more than one check; of a single check its own. */
function sharedDomains(facts: readonly MemberFacts[]): string[] {
  const checks = new Map<string, Set<string>>();
  for (const { host, checkId } of facts)
    if (host !== null) {
      const domain = domainOf(host) ?? host;
      checks.set(domain, (checks.get(domain) ?? new Set()).add(checkId));
    }
  const isSingle = new Set(facts.map(({ checkId }) => checkId)).size === 1;
  return [...checks]
    .filter(([, ids]) => isSingle || ids.size > 1)
    .map(([domain]) => domain)
    .sort()
    .slice(0, VALUES_MAX);
}

function distinct<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))].slice(0, VALUES_MAX) as T[];
}
