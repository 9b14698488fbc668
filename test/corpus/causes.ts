/**
 * The vocabulary of true causes. Each recording names one; which answers name it was fixed before any rule was run on the recordings.
 */
import type { InsightType } from "@svc/contract";

/** When an answer names a cause. */
export interface NamedCause {
  /** Types of insights that are right; one of them. */
  insights: readonly InsightType[];
  /** Words of a summary that names the cause. An insight needs them beside its type; a hypothesis has no types. */
  words: RegExp;
}

/** Every cause that a recording may have. */
export const CAUSES = {
  name_missing: { insights: ["dns"], words: /has no address|no such name|does not exist|removed from DNS/i },
  name_server_failure: { insights: ["dns"], words: /name servers?\b.*\b(fail|no (usable )?answer)/i },
  wrong_address: { insights: ["dns"], words: /wrong address|another address/i },
  certificate_expired: { insights: ["tls"], words: /expired/i },
  certificate_expires_soon: { insights: ["tls"], words: /expires in|expires soon|valid until/i },
  certificate_of_other_host: { insights: ["tls"], words: /another host|other name|does not name/i },
  certificate_not_trusted: {
    insights: ["tls"],
    words: /not trusted|self-signed|unknown (issuer|authority)/i,
  },
  tls_version: { insights: ["tls"], words: /TLS version/i },
  handshake_cut: { insights: ["tls"], words: /closed the connection during the handshake/i },
  refused: { insights: ["target_down"], words: /refuses? connections|accepts no connections/i },
  cut_short: {
    insights: ["target_down", "unexpected_answer"],
    words: /before its end|before the end|in the middle of|breaks? off/i,
  },
  no_answer: { insights: ["target_down"], words: /does not answer in time|no answer in time/i },
  server_error: { insights: ["target_down"], words: /answers 5\d\d/i },
  slow_lookup: { insights: ["slow_phase"], words: /DNS lookup|looking up/i },
  slow_connect: { insights: ["slow_phase"], words: /TCP connect|connecting/i },
  slow_handshake: { insights: ["slow_phase"], words: /TLS handshake/i },
  slow_first_byte: { insights: ["slow_phase"], words: /first byte|waiting for the response/i },
  slow_transfer: { insights: ["slow_phase"], words: /transfer|reading the (response )?body/i },
  deployment: { insights: ["deployment_regression"], words: /was deployed/i },
  location: { insights: ["location_only"], words: /only from|or its network|fails from/i },
  runner: { insights: ["runner_fault"], words: /runners?\b/i },
  third_party: { insights: ["third_party_fault"], words: /cdn\.example/i },
  schema_drift: { insights: ["schema_change"], words: /schema|structure|field|nothing is at/i },
  wrong_content: { insights: ["unexpected_answer"], words: /not (as|with what is) expected/i },
  redirect_loop: { insights: ["redirect_loop"], words: /redirect/i },
  body_too_large: { insights: ["unexpected_answer"], words: /longer than|too large|larger than/i },
  access_refused: { insights: ["access_refused"], words: /credentials/i },
  rate_limited: { insights: ["rate_limit"], words: /limits the rate|rate limit/i },
  flapping: { insights: ["flapping"], words: /flapping|comes and goes/i },
  maintenance: { insights: ["maintenance_page"], words: /maintenance/i },
  tool_missing: { insights: ["schema_change", "unexpected_answer"], words: /get-sum|does not offer/i },
  protocol_error: { insights: ["unexpected_answer"], words: /protocol|JSON/i },
  element_gone: { insights: ["unexpected_answer"], words: /sign-in|element|locator/i },
  sign_in_fails: { insights: ["unexpected_answer"], words: /Your orders|sign(s|ing)?[ -]?in|login/i },
  script_error: { insights: ["unexpected_answer"], words: /error in the page|script of the page|articles/i },
  blank_page: { insights: ["unexpected_answer"], words: /blank|empty|Welcome/i },
  nothing_wrong: { insights: ["healthy"], words: /is fine/i },
} as const satisfies Record<string, { insights: readonly InsightType[]; words: RegExp }>;

/** Name of a true cause. */
export type Cause = keyof typeof CAUSES;
