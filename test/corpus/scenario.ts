/** The form of a scenario: the checks that run, the target that is broken for some of the runs, and the true cause. */
import type { CheckType, MissingReason } from "@svc/contract";
import type { Cause } from "./causes.ts";
import type { World } from "./world/world.ts";

/** A check of a scenario. */
export interface ScenarioCheck {
  name?: string;
  /** Default: http. */
  type?: CheckType;
  /** Configuration, which the contract completes. */
  config: Record<string, unknown>;
  /** Default: 60. */
  frequencySeconds?: number;
  /** Number of locations, 1 to 6. Default: 3. */
  locations?: number;
  /** Conditions of the alert that begins. Default: two failures in a row; `[]`: no alert begins. */
  conditions?: string[];
  /** The course of the check's slots, oldest first. */
  course: Stretch[];
}

/** A number of slots in a row during which the world is alike. */
export interface Stretch {
  slots: number;
  /** Breaks the world before each run; absent: all is well. `index` counts the runs of the stretch at a location. */
  breaks?: (world: World, run: { location: number; index: number }) => void;
  /** Locations where the world is broken so. Default: all. */
  at?: readonly number[];
  /** No runner runs these slots, for this reason, at the locations of `at`. */
  unrun?: MissingReason;
}

/** An outage to record. */
export interface Scenario {
  id: string;
  cause: Cause;
  broken: string;
  checks: ScenarioCheck[];
  /** Deployments that were reported, minutes before the moment of the analysis. */
  deployments?: { service: string; version: string; minutesAgo: number }[];
}
