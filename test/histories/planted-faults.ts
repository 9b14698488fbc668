/** Faults that are planted into a history's seams, to show that the invariants find such a fault. No product code knows them. */

/** The planted faults of one history; all false in one that must hold. */
export interface PlantedFaults {
  /** Results are acknowledged before their transaction has committed. */
  ackBeforeCommit: boolean;
  /** Agents catch up on nothing: a slot that fell due while its runner was being lost is not run late. */
  noGrace: boolean;
  /** Agents delete results when they are sent. */
  spoolDeletedEarly: boolean;
  /** Changes are read on from the newest transaction, although an older one may still be open. */
  cursorWithoutHorizon: boolean;
  /** Each replica assigns the checks among its own runners. */
  twoOwners: boolean;
  /** A run that a user asks for is left to the replica that reads of it first. */
  dispatchReadOnce: boolean;
  /** Two transactions may judge results of one check at the same time. */
  evaluationWithoutLock: boolean;
  /** Rules are read on from the newest transaction, although an older one may still be open. */
  rulesWithoutHorizon: boolean;
  /** Alerts are judged without a look at maintenance windows. */
  windowsUnread: boolean;
  /** Alerts that a maintenance window muted stay so. */
  mutesNeverEnd: boolean;
  /** Replicas don't read of the checks that a window pauses. */
  pauseUnheard: boolean;
  /** Checks that a window has paused stay so. */
  pausesNeverEnd: boolean;
  /** A notification is recorded as delivered when it is claimed. */
  recordedBeforeSent: boolean;
  /** A notification that a process has claimed stays due for the others. */
  claimWithoutLease: boolean;
  /** The lease of a process that has died does not end. */
  leaseForEver: boolean;
  /** A notification does not wait for the one before it about the same alert. */
  claimsOutOfOrder: boolean;
}

/** A history without planted faults. */
export const NO_PLANTED_FAULTS: PlantedFaults = {
  ackBeforeCommit: false,
  noGrace: false,
  spoolDeletedEarly: false,
  cursorWithoutHorizon: false,
  twoOwners: false,
  dispatchReadOnce: false,
  evaluationWithoutLock: false,
  rulesWithoutHorizon: false,
  windowsUnread: false,
  mutesNeverEnd: false,
  pauseUnheard: false,
  pausesNeverEnd: false,
  recordedBeforeSent: false,
  claimWithoutLease: false,
  leaseForEver: false,
  claimsOutOfOrder: false,
};

/** The names of the faults. */
export const PLANTED_FAULTS = Object.keys(NO_PLANTED_FAULTS) as (keyof PlantedFaults)[];
