/** Chooses the runner of a test run at a location, or says why there is none. Pure. */
import type { TeamId } from "@svc/contract";
import { rankRunners } from "../../fleet/assignment.ts";
import {
  LIMITED_TEST_RUNS_CAPABILITY,
  TEST_RUNS_CAPABILITY,
  VAULT_CAPABILITY,
} from "../../fleet/derived-capabilities.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";

/** Knows the runners that are connected. */
export type ConnectedRunners = Pick<FleetState, "aliveFor">;

/** A test run at a location, with the properties that decide who can run it. */
export interface WantedRun {
  teamId: TeamId;
  type: string;
  usesVault: boolean;
  /** True: the run has limits of its traffic. */
  isLimited: boolean;
  locationKey: number;
  /** Spreads test runs over the runners that can run them. */
  checkKey: number;
}

/** Returns the key of the best runner, or the reason, for the person who began the test run, why there is none. */
export function findRunner(
  state: ConnectedRunners,
  { teamId, type, usesVault, isLimited, locationKey, checkKey }: WantedRun,
): { runnerKey: number } | { problem: string } {
  const connected = state.aliveFor(teamId, locationKey).filter((runner) => !runner.isDraining);
  if (connected.length === 0) return { problem: "No runner is connected at this location." };
  const ofType = connected.filter(({ capabilities }) => capabilities.has(type));
  if (ofType.length === 0) return { problem: `No runner at this location can run checks of type ${type}.` };
  if (usesVault && !ofType.some(({ capabilities }) => capabilities.has(VAULT_CAPABILITY)))
    return { problem: "No runner at this location can open team secrets: update svc-runner there." };
  const wanted = { checkKey, locationKey, type, usesVault, effectiveFromMs: 0 };
  const needed = isLimited ? LIMITED_TEST_RUNS_CAPABILITY : TEST_RUNS_CAPABILITY;
  const able = rankRunners(wanted, ofType).filter(({ capabilities }) => capabilities.has(needed));
  const best = able.find(({ notAcceptingSinceMs }) => notAcceptingSinceMs === null) ?? able[0];
  return best
    ? { runnerKey: best.runnerKey }
    : {
        problem: isLimited
          ? "The runners at this location are too old to try scripts that were just written, or have no sandbox: update svc-runner there, or see svc-runner doctor."
          : "The runners at this location are too old for test runs: update svc-runner there.",
      };
}
