/** The state that the last deploy of a project left: what it deployed, by the service and by a file beside the config. Pure. */
import type { DeployBaseline, DeployedKind, DeployedResource } from "@svc/contract";

/** The resources that this project deployed last. */
export interface DeployState {
  find(kind: DeployedKind, resourceId: string): DeployedResource | undefined;
  /** Returns the resource that was deployed under this name. */
  named(kind: DeployedKind, name: string): DeployedResource | undefined;
  all(): DeployedResource[];
  /** Returns the other project that deployed the resource; undefined when none did. */
  otherProjectOf(resourceId: string): string | undefined;
  /** Former name of the project, by the local file or the config: its resources are this project's now. */
  formerProject: string | undefined;
  /** True when the local file has a state of this service and project. */
  hasFile: boolean;
}

/** The state of a machine that never deployed. */
export const NO_STATE: DeployState = {
  find: () => undefined,
  named: () => undefined,
  all: () => [],
  otherProjectOf: () => undefined,
  formerProject: undefined,
  hasFile: false,
};

/** The two halves of a state. */
export interface StateParts {
  /** The service's baselines, of all projects. */
  baselines: readonly DeployBaseline[];
  /** The state in the file beside the config; undefined: there is none. */
  file: { project: string; resources: DeployedResource[] } | undefined;
}

/** Joins what the service and the file know of a project's last deploy; where both know a resource, the file counts. */
export function joinState(
  target: { project: string; renamedFrom?: string | undefined },
  { baselines, file }: StateParts,
): DeployState {
  const isDeployed = baselines.some(({ project }) => project === target.project);
  const formerName = target.renamedFrom ?? (isDeployed ? undefined : file?.project);
  // Once the former project's baseline is gone, it was handed over.
  const formerProject =
    formerName !== target.project && baselines.some(({ project }) => project === formerName)
      ? formerName
      : undefined;
  const names = [target.project, ...(formerProject === undefined ? [] : [formerProject])];
  const local = file && names.includes(file.project) ? file.resources : undefined;
  const shared = baselines
    .filter(({ project }) => names.includes(project))
    .flatMap(({ resources }) => resources);
  const otherProjects = new Map(
    baselines
      .filter(({ project }) => !names.includes(project))
      .flatMap(({ project, resources }) => resources.map(({ resourceId }) => [resourceId, project] as const)),
  );
  const byId = new Map([...shared, ...(local ?? [])].map((one) => [`${one.kind} ${one.resourceId}`, one]));
  const byName = new Map([...byId.values()].map((one) => [`${one.kind} ${one.name}`, one]));
  return {
    find: (kind, resourceId) => byId.get(`${kind} ${resourceId}`),
    named: (kind, name) => byName.get(`${kind} ${name}`),
    all: () => [...byId.values()],
    otherProjectOf: (resourceId) => otherProjects.get(resourceId),
    formerProject,
    hasFile: file?.project === target.project,
  };
}
