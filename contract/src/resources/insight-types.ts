/**
 * The types of insights. To add one: one line here, and its rule in the control plane, in the file of the type's name. The
 * last two have no rule: they say that no rule found anything.
 */
import { defineFamily } from "../base/family.ts";

/** The insight types; each says when it applies and how severe it is. */
export const insightTypes = defineFamily("insight type", [
  {
    type: "target_down",
    when: "every location's newest result fails, most of them by no connection, no answer in time or a 5xx",
    severity: "critical",
  },
  {
    type: "unexpected_answer",
    when: "every location gets an answer, but an assertion, a script or the protocol does not hold",
    severity: "critical",
  },
  {
    type: "tls",
    when: "most locations fail in the TLS handshake, or the certificate expires within 14 days",
    severity: "critical; warning while the certificate is valid for 3 days or more",
  },
  { type: "dns", when: "most locations can't resolve the name", severity: "critical" },
  {
    type: "rate_limit",
    when: "most locations get a 429, also every now and then",
    severity: "warning",
  },
  {
    type: "access_refused",
    when: "most locations get a 401, 403 or 407",
    severity: "warning",
  },
  {
    type: "maintenance_page",
    when: "most locations get a 503 that says when to come back (`Retry-After`)",
    severity: "warning",
  },
  {
    type: "redirect_loop",
    when: "most locations are redirected without end, or to no URL",
    severity: "critical",
  },
  {
    type: "third_party_fault",
    when: "the page came, but scripts, styles or data of another registered domain did not, which they did before; then the flow failed",
    severity: "critical",
  },
  {
    type: "schema_change",
    when: "most locations get an answer of the expected status with another structure: nothing or another type at the path of an assertion, or not as the API document describes",
    severity: "critical",
  },
  {
    type: "slow_phase",
    when: "the newest 5 successes take at least twice as long as those before, and 100 ms longer, or have since an earlier moment; names the phase that grew most",
    severity: "warning",
  },
  {
    type: "flapping",
    when: "at least 4 changes between success and failure within a location's newest 20 results",
    severity: "warning",
  },
  {
    type: "deployment_regression",
    when: "most locations began to fail, or the check became slow, within 30 minutes after a deployment; never for DNS, TLS, a slow lookup or connection, or a reason that lies with others",
    severity: "critical; warning when slow",
  },
  { type: "location_only", when: "some locations fail, others succeed", severity: "warning" },
  {
    type: "runner_fault",
    when: "at least 3 slots, and a tenth of those due in six hours, have no result at a location: its runners are the cause",
    severity: "warning; critical beyond half",
  },
  { type: "healthy", when: "none of these", severity: "info" },
  { type: "no_data", when: "there are no results", severity: "info" },
]);
/** Name of an insight type. */
export type InsightType = (typeof insightTypes)["types"][number];
