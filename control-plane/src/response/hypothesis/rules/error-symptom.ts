/** The layer that fails, by the error category that most of the failing locations show. */
import { type ErrorCategory, listed } from "@svc/contract";
import { failingStates, type LocationState } from "../../incidents/member-profile.ts";
import { quoteOf } from "../../quote.ts";
import { distinct, type HypothesisInput, targetsOf } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

interface Symptom {
  /** Returns a verb phrase that follows the targets' names. */
  phrase(states: readonly LocationState[]): string;
  confidence: number;
  /** Layers that worked before the failure, as entries of `ruledOut`. */
  passed: readonly string[];
}

const NAME_PASSED = "dns: the name resolves";
const CONNECTION_PASSED = "network: the target accepts connections";
const TLS_PASSED = "tls: the handshake succeeds";
const ANSWER_PASSED = "availability: the target answers";

const SYMPTOMS: Record<ErrorCategory, Symptom> = {
  dns: {
    phrase: () => "can't be resolved: DNS does not answer for it",
    confidence: 0.8,
    passed: [],
  },
  connect: {
    phrase: (states) =>
      states.every(({ httpStatusCode }) => httpStatusCode !== null)
        ? "breaks off its answers before their end"
        : "refuses connections or can't be reached",
    confidence: 0.75,
    passed: [NAME_PASSED],
  },
  tls: {
    phrase: () => "fails in the TLS handshake",
    confidence: 0.75,
    passed: [NAME_PASSED, CONNECTION_PASSED],
  },
  timeout: {
    phrase: () => "does not answer in time: overloaded, hanging or cut off",
    confidence: 0.6,
    passed: [],
  },
  http: {
    phrase: (states) => statusPhrase(states) ?? "answers with an HTTP error",
    confidence: 0.75,
    passed: [NAME_PASSED, CONNECTION_PASSED],
  },
  assertion: {
    phrase: (states) => statusPhrase(states) ?? "answers, but not with what is expected of it",
    confidence: 0.65,
    passed: [NAME_PASSED, CONNECTION_PASSED, ANSWER_PASSED],
  },
  script: {
    phrase: () => "does not go through the scripted steps: the page or the flow changed",
    confidence: 0.55,
    passed: [NAME_PASSED, CONNECTION_PASSED],
  },
  protocol: {
    phrase: () => "answers with something that breaks the protocol",
    confidence: 0.65,
    passed: [NAME_PASSED, CONNECTION_PASSED],
  },
  heartbeat: {
    phrase: () => "does not report that all is well",
    confidence: 0.7,
    passed: [],
  },
};

/** Contributes the symptom of the most frequent error category, the more confidently the more locations show it. */
export const errorSymptom = defineHypothesisRule("error_symptom", (input) => {
  const failing = input.members.flatMap(failingStates);
  const [category, states] = mostFrequent(failing) ?? [];
  if (category === undefined || !states) return undefined;
  const { phrase, confidence, passed } = SYMPTOMS[category];
  const agreement = states.length / failing.length;
  const tls = category === "http" || category === "assertion" ? tlsPassed(input) : [];
  return {
    cause: {
      summary: `${targetsOf(input)} ${phrase(states)}${saidOf(states)}`,
      // Locations that fail in another way lower the confidence.
      confidence: confidence * (0.5 + 0.5 * agreement),
    },
    ruledIn: [
      `error_category: ${category} in ${states.length} of ${failing.length} failing locations`,
      ...statusCircumstances(states),
    ],
    ruledOut: agreement === 1 ? [...passed, ...tls] : [],
  };
});

/** Returns what the probe said about the first of these failures, unless their status codes say all of it. */
function saidOf(states: readonly LocationState[]): string {
  return statusPhrase(states) === undefined ? quoteOf(states[0]?.errorMessage) : "";
}

/** Returns the error category of most states, with these states; undefined when none has a known category. */
function mostFrequent(states: readonly LocationState[]): [ErrorCategory, LocationState[]] | undefined {
  const byCategory = new Map<ErrorCategory, LocationState[]>();
  for (const state of states) {
    if (state.errorCategory === null || !(state.errorCategory in SYMPTOMS)) continue;
    const category = state.errorCategory as ErrorCategory;
    const known = byCategory.get(category);
    if (known) known.push(state);
    else byCategory.set(category, [state]);
  }
  return [...byCategory].sort(([, a], [, b]) => b.length - a.length)[0];
}

function statusCircumstances(states: readonly LocationState[]): string[] {
  const codes = statusCodesOf(states);
  return codes.length === 0 ? [] : [`http_status: ${codes.sort((a, b) => a - b).join(", ")}`];
}

/** Returns a phrase for the status codes; undefined when none is known or one of them is no error. */
function statusPhrase(states: readonly LocationState[]): string | undefined {
  const codes = statusCodesOf(states);
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

function statusCodesOf(states: readonly LocationState[]): number[] {
  return distinct(states.map(({ httpStatusCode }) => httpStatusCode));
}

function tlsPassed({ members }: HypothesisInput): string[] {
  return members.every(({ certificate }) => certificate?.isTrusted) ? [TLS_PASSED] : [];
}
