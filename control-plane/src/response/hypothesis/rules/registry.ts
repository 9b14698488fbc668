/**
 * The hypothesis rules. The surest cause becomes the summary; between equals the rule that is listed first wins. The
 * lists of circumstances keep this order. To add a rule: its file beside this one and one line here.
 */
import { defineFamily } from "@svc/contract";
import { certificate } from "./certificate.ts";
import { conditionSymptom } from "./condition-symptom.ts";
import { deployments } from "./deployments.ts";
import { errorSymptom } from "./error-symptom.ts";
import { failingLocation } from "./failing-location.ts";
import { failureReason } from "./failure-reason.ts";
import { maintenance } from "./maintenance.ts";
import { missingRuns } from "./missing-runs.ts";
import { neighbours } from "./neighbours.ts";
import { spread } from "./spread.ts";
import { unresolvedDomain } from "./unresolved-domain.ts";

/** All hypothesis rules, in their order of precedence. */
export const hypothesisRules = defineFamily("hypothesis rule", [
  failingLocation,
  missingRuns,
  certificate,
  unresolvedDomain,
  failureReason,
  errorSymptom,
  conditionSymptom,
  spread,
  neighbours,
  deployments,
  maintenance,
]);
