/**
 * What the control plane asks of this agent, in plain values: the words that session, slots and spool share without
 * knowing each other. Instants are Unix ms of the control plane's clock.
 */
import type { RunFaultReason } from "@svc/contract";

/** Which document an API spec has. */
export interface ApiSpecRef {
  specId: string;
  /** SHA-256 of the document as compact JSON, hex. */
  contentSha256: string;
}

/** A check as it is to be run. */
export interface CheckDefinition {
  checkKey: number;
  checkId: string;
  name: string;
  type: string;
  /** The type's configuration, JSON. */
  configJson: string;
  frequencySeconds: number;
  /** Slots are the instants k * frequencySeconds * 1000 + phaseMs. */
  phaseMs: number;
  /** Grows with every change of the check. */
  revision: number;
  /** Retry policy, JSON; empty: none. */
  retryJson: string;
  /** The API specs that the configuration names; absent: none. */
  apiSpecs?: ApiSpecRef[];
}

/** A check at a location, to be run until told otherwise. */
export interface Assignment {
  checkKey: number;
  locationKey: number;
  /** A slot is run at slot + staggerMs here; less than the period. */
  staggerMs: number;
  /** Only slots due at or after this instant belong to the assignment. */
  effectiveFromMs: number;
  /** Slots within the grace that have a result already. */
  doneSlotsMs: number[];
}

/** All that the agent shall run. */
export interface AssignmentSnapshot {
  checks: CheckDefinition[];
  assignments: Assignment[];
}

/** A change of what the agent shall run. Applying it twice is harmless. */
export interface AssignmentDelta extends AssignmentSnapshot {
  unassignments: { checkKey: number; locationKey: number }[];
}

/** An order to run one slot at once. */
export interface Dispatch {
  check: CheckDefinition;
  locationKey: number;
  slotMs: number;
}

/** A slot that the agent was to run and did not. */
export interface GivenBackSlot {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  reason: RunFaultReason;
}
