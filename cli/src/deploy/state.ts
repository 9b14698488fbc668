/**
 * What the last deploy left: in a file of this machine beside the config, and with the service for machines that have none.
 * Where both know a resource the file counts, since it is what this working copy was last in agreement with.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ApiClient,
  type DeployBaseline,
  type DeployedKind,
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

export interface DeployState {
  find(kind: DeployedKind, resourceId: string): DeployedResource | undefined;
  /** The resource that was deployed under this name. */
  named(kind: DeployedKind, name: string): DeployedResource | undefined;
  all(): DeployedResource[];
  /** Ids that another project deployed. */
  isOfOtherProject(resourceId: string): boolean;
  /** Whether there is anything to compare with. */
  isEmpty: boolean;
  /** Whether the local file said it, for this service and project. */
  hasFile: boolean;
}

/** Of a machine that never deployed. */
export const NO_STATE: DeployState = {
  find: () => undefined,
  named: () => undefined,
  all: () => [],
  isOfOtherProject: () => false,
  isEmpty: true,
  hasFile: false,
};

/** @param folder where the config lies */
export function readState(
  folder: string,
  { apiUrl, project, out }: { apiUrl: string; project: string; out: Output },
  baselines: readonly DeployBaseline[],
): DeployState {
  const local = readStateFile(folder, { apiUrl, project, out });
  const shared = baselines.find((baseline) => baseline.project === project)?.resources ?? [];
  const others = new Set(
    baselines
      .filter((baseline) => baseline.project !== project)
      .flatMap(({ resources }) => resources.map(({ resourceId }) => resourceId)),
  );
  const byId = new Map([...shared, ...(local ?? [])].map((one) => [`${one.kind} ${one.resourceId}`, one]));
  const byName = new Map([...byId.values()].map((one) => [`${one.kind} ${one.name}`, one]));
  return {
    find: (kind, resourceId) => byId.get(`${kind} ${resourceId}`),
    named: (kind, name) => byName.get(`${kind} ${name}`),
    all: () => [...byId.values()],
    isOfOtherProject: (resourceId) => others.has(resourceId),
    isEmpty: byId.size === 0,
    hasFile: local !== undefined,
  };
}

/** Of another service or project it says nothing; a damaged one is as good as none. */
function readStateFile(
  folder: string,
  { apiUrl, project, out }: { apiUrl: string; project: string; out: Output },
): DeployedResource[] | undefined {
  const path = join(folder, STATE_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    const state = stateSchema.parse(JSON.parse(text));
    return state.apiUrl === apiUrl && state.project === project ? state.resources : undefined;
  } catch {
    out.warn(`${STATE_FILE} is damaged and not used; the next deploy writes it anew`);
    return undefined;
  }
}

/** The local file alone. Whole or not at all. */
export function writeState(
  folder: string,
  { apiUrl, project }: { apiUrl: string; project: string },
  resources: readonly DeployedResource[],
): void {
  const text = `${JSON.stringify({ version: 1, apiUrl, project, resources }, null, 1)}\n`;
  writeFileWhole(join(folder, STATE_FILE), text, 0o600);
}

/** Keeps it in both places. That one could not take it (a read-only checkout) is a warning: the deploy itself is done. */
export async function saveState(
  folder: string,
  { apiUrl, project, out }: { apiUrl: string; project: string; out: Output },
  resources: readonly DeployedResource[],
  api: ApiClient,
): Promise<void> {
  try {
    writeState(folder, { apiUrl, project }, resources);
  } catch (error) {
    out.warn(`${STATE_FILE} could not be written: ${(error as Error).message}`);
  }
  try {
    await api.putDeployBaseline(project, resources);
  } catch (error) {
    out.warn(`the service did not take the deploy's baseline: ${(error as Error).message}`);
  }
}
