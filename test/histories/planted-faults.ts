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
}

/** A history without planted faults. */
export const NO_PLANTED_FAULTS: PlantedFaults = {
  ackBeforeCommit: false,
  noGrace: false,
  spoolDeletedEarly: false,
  cursorWithoutHorizon: false,
  twoOwners: false,
};

/** The names of the faults. */
export const PLANTED_FAULTS = Object.keys(NO_PLANTED_FAULTS) as (keyof PlantedFaults)[];
