/** The rules; of those that hold the surest is the insight, of equals the first. To add one: its file and a line. */
import type { AnalysisRule } from "../finding.ts";
import { deploymentRegression } from "./deployment-regression.ts";
import { dns } from "./dns.ts";
import { flapping } from "./flapping.ts";
import { locationOnly } from "./location-only.ts";
import { runnerFault } from "./runner-fault.ts";
import { slowPhase } from "./slow-phase.ts";
import { targetDown } from "./target-down.ts";
import { tls } from "./tls.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";

export const ANALYSIS_RULES: readonly AnalysisRule[] = [
  targetDown,
  tls,
  dns,
  unexpectedAnswer,
  locationOnly,
  flapping,
  deploymentRegression,
  slowPhase,
  runnerFault,
];
