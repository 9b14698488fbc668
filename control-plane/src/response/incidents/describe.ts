/** What an incident is, by its members: title, severity, what they share, hypothesis, what was seen. Pure. */
import type { Severity } from "@svc/contract";
import type { HypothesisFacts } from "../hypothesis/finding.ts";
import { hypothesisOf } from "../hypothesis/hypothesis.ts";
import type { IncidentFacts } from "../hypothesis/load-context.ts";
import { fingerprintHash, sharedDimensions } from "./fingerprint.ts";
import { severityOf } from "./lifecycle.ts";
import type { MemberTotals } from "./member-store.ts";
import { observationsOf } from "./observations.ts";
import type { IncidentRow } from "./row.ts";
import { titleOf } from "./title.ts";

/** What of a row follows from the members. */
export type Description = Pick<
  IncidentRow,
  | "title"
  | "severity"
  | "dimensions"
  | "fingerprintHash"
  | "hypothesis"
  | "observations"
  | "memberCount"
  | "openMemberCount"
>;

/** Members as the description needs them. */
export type DescribedMembers = Pick<
  MemberTotals,
  | "memberCount"
  | "openCount"
  | "checkCount"
  | "firstStartedAt"
  | "openSeverities"
  | "dimensionCounts"
  | "sample"
>;

/** What the hypothesis needs from the members. */
export function incidentFactsOf(members: DescribedMembers): IncidentFacts {
  return {
    members: members.sample.map(({ facts }) => facts),
    checkCount: members.checkCount,
    openedAtMs: Date.parse(members.firstStartedAt),
    shared: sharedDimensions(members.dimensionCounts, members.memberCount),
  };
}

/** @param severityBefore stays when no member is open */
export function describe(
  members: DescribedMembers,
  facts: HypothesisFacts,
  severityBefore: Severity,
): Description {
  const shared = [...facts.shared];
  return {
    title: titleOf(facts.members, members.checkCount, shared),
    severity: severityOf(members.openSeverities, severityBefore),
    dimensions: shared,
    fingerprintHash: fingerprintHash(shared),
    hypothesis: hypothesisOf(facts),
    observations: observationsOf(members.sample),
    memberCount: members.memberCount,
    openMemberCount: members.openCount,
  };
}
