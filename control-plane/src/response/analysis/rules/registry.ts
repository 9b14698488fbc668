/**
 * The analysis rules. The surest finding of a check becomes its insight; between equals the rule that is listed first wins.
 * To add one: its file beside this one, one line here, and its line in the contract's insight types.
 */
import { defineFamily } from "@svc/contract";
import { deploymentRegression } from "./deployment-regression.ts";
import { dns } from "./dns.ts";
import { flapping } from "./flapping.ts";
import { locationOnly } from "./location-only.ts";
import { runnerFault } from "./runner-fault.ts";
import { slowPhase } from "./slow-phase.ts";
import { targetDown } from "./target-down.ts";
import { tls } from "./tls.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";

/** All analysis rules, in their order of precedence. */
export const analysisRules = defineFamily("analysis rule", [
  targetDown,
  tls,
  dns,
  unexpectedAnswer,
  locationOnly,
  flapping,
  deploymentRegression,
  slowPhase,
  runnerFault,
]);
