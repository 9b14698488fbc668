/**
 * Assignments and dispatches as plain values, which session, slots and disk share without knowing each other.
 * Instants are Unix ms of the control plane's clock.
 */
import type { RunFaultReason } from "@svc/contract";
import type { TrafficLimits } from "@svc/probes";

/** Identifies a check at a location. */
export interface CheckLocation {
  checkKey: number;
  locationKey: number;
}

/** Identifies one slot of a check at a location, and so its result. */
export interface SlotKey extends CheckLocation {
  slotMs: number;
}

/** Names the document that an API spec has now. */
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
  /** Stands for the team that the check belongs to; absent in what an earlier version stored, and 0: unknown. */
  teamNumber?: number;
  /** The API specs that the configuration names; absent: none. */
  apiSpecs?: ApiSpecRef[];
  /** Values of the secrets that the configuration refers to, sealed to this agent, base64; absent: it refers to none. */
  sealedSecrets?: string;
}

/** A check location that this agent runs until the control plane says otherwise. */
export interface Assignment extends CheckLocation {
  /** A slot is run at slot + staggerMs at this location; less than the period. */
  staggerMs: number;
  /** Only slots due at or after this instant belong to the assignment. */
  effectiveFromMs: number;
  /** Slots within the grace that have a result already. */
  doneSlotsMs: number[];
}

/** Everything that the agent is to run. */
export interface AssignmentSnapshot {
  checks: CheckDefinition[];
  assignments: Assignment[];
}

/** A change of what the agent is to run. Applying it twice is harmless. */
export interface AssignmentDelta extends AssignmentSnapshot {
  unassignments: CheckLocation[];
}

/** A request to run one slot at once: a trigger, a first run, or a slot that another runner gave back. */
export interface Dispatch {
  check: CheckDefinition;
  locationKey: number;
  slotMs: number;
  /** Unix ms: the run begins no later; undefined: the grace after now. */
  beginByMs?: number | undefined;
}

/** A request to try a configuration that is not stored. Its check key is no check's. */
export interface TestRunDispatch extends Omit<Dispatch, "slotMs"> {
  testRunId: string;
  /** Limits of where its requests may go; absent: those of every check. */
  limits?: TrafficLimits | undefined;
}

/** A slot that the agent was to run and did not. */
export interface GivenBackSlot extends SlotKey {
  reason: RunFaultReason;
}

/** Returns the text that stands for a check location in maps of this process. */
export function checkLocationId({ checkKey, locationKey }: CheckLocation): string {
  return `${checkKey}/${locationKey}`;
}

/** Returns the text that stands for a slot in maps of this process. */
export function slotId({ checkKey, locationKey, slotMs }: SlotKey): string {
  return `${checkKey}/${locationKey}/${slotMs}`;
}
