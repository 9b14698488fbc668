/** The context that this agent's probes run in. */
import { setMaxListeners } from "node:events";
import { BodyBudget, type OpenApiSpecSource, type ProbeContext, type ProbeHost } from "@svc/probes";
import { AGENT_VERSION } from "../base/version.ts";
import type { TeamEgress } from "./team-egress.ts";

/** The agent's clock, limits and helpers that probes get. */
export interface ProbeContextParts {
  /** Aborted when all runs must end at once. */
  signal: AbortSignal;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** Asked at each run, since the pool's default is known only from the Welcome on. */
  isPrivateAllowed: () => boolean;
  /** Returns the way out of a team's runs. */
  egressOf: TeamEgress;
  openApiSpecs: OpenApiSpecSource;
  /** Memory for response bodies, over all runs. */
  bodyBytesMax: number;
  /** Runs browser checks; undefined: this machine has no browser. */
  browser: ProbeHost | undefined;
}

/** The parts of a context that one run has for itself. */
interface OwnParts extends Required<Pick<ProbeContext, "sleep" | "beginByMs">> {
  /** Stands for the run's team. */
  teamNumber: number;
  /** Names the team where several have checks here. */
  team: string | undefined;
  locationId: ProbeContext["locationId"];
  artifacts: ProbeContext["artifacts"];
}

/**
 * Returns the function that makes the surroundings in which a probe carries out one run. They are written out, since copying
 * an object for each run would be a twentieth of what a run costs.
 */
export function probeContexts({
  signal,
  nowMs,
  isPrivateAllowed,
  egressOf,
  openApiSpecs,
  bodyBytesMax,
  browser,
}: ProbeContextParts): (own: OwnParts) => ProbeContext {
  setMaxListeners(0, signal); // each run in flight may listen
  const userAgent = `svc-runner/${AGENT_VERSION}`;
  const bodyBudget = new BodyBudget(bodyBytesMax);
  const hosts = browser && { browser };
  return ({ teamNumber, team, sleep, beginByMs, locationId, artifacts }) => {
    const allowPrivateAddresses = isPrivateAllowed();
    return {
      signal,
      allowPrivateAddresses,
      nowMs,
      userAgent,
      openApiSpecs,
      bodyBudget,
      hosts,
      egress: egressOf(teamNumber, allowPrivateAddresses),
      team,
      sleep,
      beginByMs,
      locationId,
      artifacts,
    };
  };
}
