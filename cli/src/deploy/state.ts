/**
 * The state that the last deploy left, kept twice: in a file of this machine beside the config, and with the service
 * for machines without that file. Where both know a resource the file counts, because it is the state that this working
 * copy last agreed with.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DeployState, joinState } from "@svc/as-code/plan";
import {
  type ApiClient,
  type DeployBaseline,
  type DeployedResource,
  deployedResourceSchema,
} from "@svc/contract";
import * as z from "zod";
import { writeFileWhole } from "../config/write-config.ts";
import type { Output } from "../output/output.ts";

const STATE_FILE = join(".svc", ".deploy-state.json");

const stateSchema = z.object({
  version: z.literal(1),
  apiUrl: z.string(),
  project: z.string(),
  resources: z.array(deployedResourceSchema),
});

/** Identifies one state: a project, deployed to one service from one folder. */
export interface DeployTarget {
  apiUrl: string;
  project: string;
  /** Former name of the project, as the config says. */
  renamedFrom?: string | undefined;
  /** Folder of the config. */
  folder: string;
}

/**
 * Reads the local file and joins it with the service's baselines.
 * @param baselines the service's, of all projects
 * @param out warned of a damaged file
 */
export function readState(
  target: DeployTarget,
  baselines: readonly DeployBaseline[],
  out: Pick<Output, "warn">,
): DeployState {
  return joinState(target, { baselines, file: readStateFile(target, out) });
}

/** Returns undefined for the file of another service, and for a damaged one. */
function readStateFile(
  { folder, apiUrl }: DeployTarget,
  out: Pick<Output, "warn">,
): { project: string; resources: DeployedResource[] } | undefined {
  const path = join(folder, STATE_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    const state = stateSchema.parse(JSON.parse(text));
    return state.apiUrl === apiUrl ? state : undefined;
  } catch {
    out.warn(`${STATE_FILE} is damaged and not used; the next deploy writes it anew`);
    return undefined;
  }
}

/** Writes the local file alone, whole or not at all. */
export function writeState(
  { folder, apiUrl, project }: DeployTarget,
  resources: readonly DeployedResource[],
): void {
  const text = `${JSON.stringify({ version: 1, apiUrl, project, resources }, null, 1)}\n`;
  writeFileWhole(join(folder, STATE_FILE), text, 0o600);
}

/**
 * Saves the state in both positions. A position that doesn't take it (a read-only checkout) is a warning: the deploy
 * itself is done.
 */
export async function saveState(
  target: DeployTarget,
  resources: readonly DeployedResource[],
  {
    api,
    out,
    formerProject,
  }: { api: ApiClient; out: Pick<Output, "warn">; formerProject?: string | undefined },
): Promise<void> {
  try {
    writeState(target, resources);
  } catch (error) {
    out.warn(`${STATE_FILE} could not be written: ${(error as Error).message}`);
  }
  try {
    await api.putDeployBaseline(target.project, resources);
    if (formerProject !== undefined) await api.deleteDeployBaseline(formerProject);
  } catch (error) {
    out.warn(`the service did not take the deploy's baseline: ${(error as Error).message}`);
  }
}
