/** The context that this agent's probes run in. */
import { setMaxListeners } from "node:events";
import { BodyBudget, type OpenApiSpecSource, type ProbeContext, type ProbeHost } from "@svc/probes";
import { AGENT_VERSION } from "../base/version.ts";

/** The agent's clock, limits and helpers that probes get. */
export interface ProbeContextParts {
  /** Aborted when all runs must end at once. */
  signal: AbortSignal;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** Asked at each run, since the pool's default is known only from the Welcome on. */
  isPrivateAllowed: () => boolean;
  openApiSpecs: OpenApiSpecSource;
  /** Memory for response bodies, over all runs. */
  bodyBytesMax: number;
  /** Runs browser checks; undefined: this machine has no browser. */
  browser: ProbeHost | undefined;
}

/** Returns the surroundings in which a probe carries out one run. */
export function probeContext({
  signal,
  nowMs,
  isPrivateAllowed,
  openApiSpecs,
  bodyBytesMax,
  browser,
}: ProbeContextParts): ProbeContext {
  setMaxListeners(0, signal); // each run in flight may listen
  return {
    signal,
    get allowPrivateAddresses() {
      return isPrivateAllowed();
    },
    nowMs,
    userAgent: `svc-runner/${AGENT_VERSION}`,
    openApiSpecs,
    bodyBudget: new BodyBudget(bodyBytesMax),
    ...(browser ? { hosts: { browser } } : {}),
  };
}
