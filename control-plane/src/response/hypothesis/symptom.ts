/** How it fails: the error category that most of the failing places show says in which layer. */
import type { ErrorCategory } from "@svc/contract";
import { conditionTypes, listed } from "@svc/contract";
import { failingPlaces, type PlaceFacts } from "../incidents/facts.ts";
import { distinct, type HypothesisFacts, type HypothesisRule, targetsOf } from "./finding.ts";

interface Symptom {
  /** Completes "<targets> ...". */
  says: (places: readonly PlaceFacts[]) => string;
  confidence: number;
  /** Layers that were passed before it failed. */
  passed: readonly string[];
}

const NAME = "dns: the name resolves";
const CONNECTION = "network: the target accepts connections";
const TLS = "tls: the handshake succeeds";
const ANSWER = "availability: the target answers";

const SYMPTOMS: Record<ErrorCategory, Symptom> = {
  dns: { says: () => "can't be resolved: DNS does not answer for it", confidence: 0.8, passed: [] },
  connect: { says: () => "refuses connections or can't be reached", confidence: 0.75, passed: [NAME] },
  tls: { says: () => "fails in the TLS handshake", confidence: 0.75, passed: [NAME, CONNECTION] },
  timeout: {
    says: () => "does not answer in time: overloaded, hanging or cut off",
    confidence: 0.6,
    passed: [],
  },
  http: { says: httpSays, confidence: 0.75, passed: [NAME, CONNECTION] },
  assertion: { says: assertionSays, confidence: 0.65, passed: [NAME, CONNECTION, ANSWER] },
  script: {
    says: () => "does not go through the scripted steps: the page or the flow changed",
    confidence: 0.55,
    passed: [NAME, CONNECTION],
  },
  protocol: {
    says: () => "answers with something that breaks the protocol",
    confidence: 0.65,
    passed: [NAME, CONNECTION],
  },
};

export const symptom: HypothesisRule = (facts) => {
  const failing = facts.members.flatMap(failingPlaces);
  const [category, places] = mostFrequent(failing) ?? [];
  if (category === undefined || !places) return undefined;
  const { says, confidence, passed } = SYMPTOMS[category];
  const agreement = places.length / failing.length;
  const tls = category === "http" || category === "assertion" ? tlsPassed(facts) : [];
  return {
    cause: {
      summary: `${targetsOf(facts)} ${says(places)}`,
      // Places that fail in another way speak against it.
      confidence: confidence * (0.5 + 0.5 * agreement),
    },
    ruledIn: [
      `error_category: ${category} in ${places.length} of ${failing.length} failing places`,
      ...statusFacts(places),
    ],
    ruledOut: agreement === 1 ? [...passed, ...tls] : [],
  };
};

/** Nothing fails: slow, drifting, deviating. The conditions say what is wrong. */
export const otherConditions: HypothesisRule = (facts) => {
  if (facts.members.some((member) => failingPlaces(member).length > 0)) return undefined;
  const types = distinct(facts.members.flatMap(({ conditions }) => conditions));
  const texts = types.flatMap((type) => conditionTypes.find(type)?.symptom ?? []);
  const [text] = texts;
  if (text === undefined) return undefined;
  return {
    cause: { summary: `${targetsOf(facts)} ${text}`, confidence: 0.5 },
    ruledIn: types.map((type) => `condition: ${type}`),
    ruledOut: types.some((type) => type.startsWith("missed"))
      ? []
      : ["availability: the checks themselves succeed"],
  };
};

function mostFrequent(places: readonly PlaceFacts[]): [ErrorCategory, PlaceFacts[]] | undefined {
  const groups = new Map<ErrorCategory, PlaceFacts[]>();
  for (const place of places)
    if (place.errorCategory !== null && place.errorCategory in SYMPTOMS) {
      const category = place.errorCategory as ErrorCategory;
      groups.set(category, [...(groups.get(category) ?? []), place]);
    }
  return [...groups].sort(([, a], [, b]) => b.length - a.length)[0];
}

function statusFacts(places: readonly PlaceFacts[]): string[] {
  const codes = distinct(places.map(({ httpStatusCode }) => httpStatusCode));
  return codes.length === 0 ? [] : [`http_status: ${codes.sort((a, b) => a - b).join(", ")}`];
}

function httpSays(places: readonly PlaceFacts[]): string {
  return statusSays(places) ?? "answers with an HTTP error";
}

function assertionSays(places: readonly PlaceFacts[]): string {
  return statusSays(places) ?? "answers, but not with what is expected of it";
}

/** What the status codes say, when they are errors and agree on their kind. */
function statusSays(places: readonly PlaceFacts[]): string | undefined {
  const codes = distinct(places.map(({ httpStatusCode }) => httpStatusCode));
  if (codes.length === 0 || codes.some((code) => code < 400)) return undefined;
  const shown = listed(codes.map(String));
  if (codes.every((code) => code >= 500)) return `answers ${shown}: the server itself is in trouble`;
  if (codes.every((code) => code === 401 || code === 403))
    return `answers ${shown}: it refuses the credentials or the caller`;
  if (codes.every((code) => code === 429)) return "answers 429: it limits the rate of requests";
  if (codes.every((code) => code === 404 || code === 410))
    return `answers ${shown}: what is asked for is gone or moved`;
  return `answers ${shown}`;
}

function tlsPassed({ members }: HypothesisFacts): string[] {
  return members.every(({ certificate }) => certificate?.isTrusted) ? [TLS] : [];
}
