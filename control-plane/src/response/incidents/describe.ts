/** Describes an incident by its members: title, severity, shared dimensions, hypothesis, observations. Pure. */
import type { Severity } from "@svc/contract";
import { hypothesisOf } from "../hypothesis/hypothesis.ts";
import type { HypothesisInput, HypothesisSubject } from "../hypothesis/input.ts";
import { fingerprintHash, sharedDimensions } from "./fingerprint.ts";
import { severityOf } from "./lifecycle.ts";
import type { MemberTotals } from "./member-totals-store.ts";
import { observationsOf } from "./observations.ts";
import type { IncidentRow } from "./row.ts";
import { titleOf } from "./title.ts";

/** The columns of an incident that follow from its members. */
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

/** The totals of members that a description is made from. */
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

/** The members of an incident and their surroundings. */
export interface DescriptionInput {
  members: DescribedMembers;
  hypothesisInput: HypothesisInput;
  /** Severity of the incident so far, kept when no member is open. */
  severityBefore: Severity;
}

/** Returns the part of a hypothesis' input that follows from the members. */
export function hypothesisSubjectOf(members: DescribedMembers): HypothesisSubject {
  return {
    members: members.sample.map(({ profile }) => profile),
    checkCount: members.checkCount,
    openedAtMs: Date.parse(members.firstStartedAt),
    shared: sharedDimensions(members.dimensionCounts, members.memberCount),
  };
}

/** Returns the description of an incident. */
export function describe({ members, hypothesisInput, severityBefore }: DescriptionInput): Description {
  const shared = [...hypothesisInput.shared];
  return {
    title: titleOf(hypothesisInput.members, members.checkCount, shared),
    severity: severityOf(members.openSeverities, severityBefore),
    dimensions: shared,
    fingerprintHash: fingerprintHash(shared),
    hypothesis: hypothesisOf(hypothesisInput),
    observations: observationsOf(members.sample),
    memberCount: members.memberCount,
    openMemberCount: members.openCount,
  };
}
