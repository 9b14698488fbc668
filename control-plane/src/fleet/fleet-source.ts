/** The tables of the fleet as the watch over it reads them. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { FLEET_CHANNEL, type WakeUps, wakeUpsOf } from "../platform/db/wake-ups.ts";
import {
  type CheckRow,
  type DispatchRow,
  type GivenBackRow,
  type LocationRow,
  type RunnerRow,
  readChangedChecks,
  readChecksPage,
  readDeletedChecks,
  readDeletedTeams,
  readDispatches,
  readGivenBack,
  readHorizon,
  readLocations,
  readRunners,
} from "./fleet-store.ts";

/** Reads of the fleet. Every one rejects while the database is away. A horizon is opaque text. */
export interface FleetSource {
  /** Wake-ups at commits that change the fleet. */
  readonly wakeUps: WakeUps;
  /** Returns the horizon: all transactions below it have ended, so a read from here on misses none. */
  readHorizon(): Promise<string>;
  /** Reads checks with a key above `afterKey`, in order of their key. */
  readChecksPage(afterKey: number, limit: number): Promise<CheckRow[]>;
  /** Reads the checks that changed in a transaction at or after the horizon. */
  readChangedChecks(horizon: string): Promise<CheckRow[]>;
  /** Returns the keys of checks that were deleted in a transaction at or after the horizon. */
  readDeletedChecks(horizon: string): Promise<number[]>;
  /** Returns the teams that were deleted in a transaction at or after the horizon. */
  readDeletedTeams(horizon: string): Promise<TeamId[]>;
  /** Reads the locations that exist. */
  readLocations(): Promise<LocationRow[]>;
  /** Reads the runners whose lease holds or ended within the last hour, by the database's clock. */
  readRunners(): Promise<RunnerRow[]>;
  /** Reads the dispatches made in a transaction at or after the horizon, for slots not older than `slotFromMs`. */
  readDispatches(horizon: string, slotFromMs: number): Promise<DispatchRow[]>;
  /** Reads the slots that were given back in a transaction at or after the horizon. */
  readGivenBack(horizon: string): Promise<GivenBackRow[]>;
}

/** Returns the fleet's tables in PostgreSQL. */
export function postgresFleetSource(knex: Knex, log: Logger): FleetSource {
  return {
    wakeUps: wakeUpsOf({ knex, log, channel: FLEET_CHANNEL }),
    readHorizon: () => readHorizon(knex),
    readChecksPage: (afterKey, limit) => readChecksPage(knex, afterKey, limit),
    readChangedChecks: (horizon) => readChangedChecks(knex, horizon),
    readDeletedChecks: (horizon) => readDeletedChecks(knex, horizon),
    readDeletedTeams: (horizon) => readDeletedTeams(knex, horizon),
    readLocations: () => readLocations(knex),
    readRunners: () => readRunners(knex),
    readDispatches: (horizon, slotFromMs) => readDispatches(knex, horizon, slotFromMs),
    readGivenBack: (horizon) => readGivenBack(knex, horizon),
  };
}
