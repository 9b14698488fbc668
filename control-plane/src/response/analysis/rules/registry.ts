/**
 * The analysis rules. The surest finding of a check becomes its insight; between equals the rule that is listed first wins.
 * To add one: its file beside this one, one line here, and its line in the contract's insight types.
 */
import { defineFamily } from "@svc/contract";
import { accessRefused } from "./access-refused.ts";
import { deploymentRegression } from "./deployment-regression.ts";
import { dns } from "./dns.ts";
import { flapping } from "./flapping.ts";
import { locationOnly } from "./location-only.ts";
import { maintenancePage } from "./maintenance-page.ts";
import { rateLimit } from "./rate-limit.ts";
import { redirectLoop } from "./redirect-loop.ts";
import { runnerFault } from "./runner-fault.ts";
import { schemaChange } from "./schema-change.ts";
import { slowPhase } from "./slow-phase.ts";
import { targetDown } from "./target-down.ts";
import { thirdPartyFault } from "./third-party-fault.ts";
import { tls } from "./tls.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";

/** All analysis rules, in their order of precedence. */
export const analysisRules = defineFamily("analysis rule", [
  targetDown,
  tls,
  dns,
  rateLimit,
  accessRefused,
  maintenancePage,
  redirectLoop,
  thirdPartyFault,
  schemaChange,
  unexpectedAnswer,
  locationOnly,
  flapping,
  deploymentRegression,
  slowPhase,
  runnerFault,
]);
