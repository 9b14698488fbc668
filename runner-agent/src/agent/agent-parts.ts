import type { ProbeContext, ProbeHost, ProbeOutcome, ProbeRequest } from "@svc/probes";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";
import type { Machine } from "../base/machine.ts";
import type { DataFolder } from "../disk/data-folder.ts";
import type { SpoolDatabase } from "../disk/database.ts";

/** The parts of an agent that its composition root hands in. */
export interface AgentParts {
  config: Config;
  log: Logger;
  machine: Machine;
  probe: (request: ProbeRequest, context: ProbeContext) => Promise<ProbeOutcome>;
  /** Check types that `probe` can run. */
  capabilities: readonly string[];
  /** Runs browser checks; undefined: this machine has no browser. `pagesMax`: pages that it has memory for; `limitsTraffic`: it can hold a run to limits of its traffic. */
  browser?:
    | (ProbeHost & { close(): Promise<void>; readonly pagesMax?: number; readonly limitsTraffic?: boolean })
    | undefined;
  /** The data folder, locked for this process. */
  folder: DataFolder;
  database: SpoolDatabase;
  /** Resolved, by whoever notices first, when the agent can't go on. */
  failure: { promise: Promise<AgentFailure>; resolve: (failure: AgentFailure) => void };
}

/** Reasons why an agent can't go on. */
export type AgentFailure = "key_refused" | "data_folder_lost";
