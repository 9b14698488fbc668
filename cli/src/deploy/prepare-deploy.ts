/** Reads the config and the service, and plans: the first half of `deploy`, all of `diff`. */

import type { Desired } from "@svc/as-code/config";
import { computePlan, type DeployState, type Plan, type PlannedChange, type Remote } from "@svc/as-code/plan";
import type { ApiClient, CapacityPreview } from "@svc/contract";
import { readConfig } from "../config/read-config.ts";
import type { Context } from "../runtime/context.ts";
import { previewCapacity } from "./capacity.ts";
import { fetchRemote } from "./fetch-remote.ts";
import { type ExceededLimit, exceededLimits } from "./plan-limits.ts";
import { readState } from "./state.ts";
import { assertTeamReferences } from "./team-references.ts";
import { assertVaultReferences } from "./vault-references.ts";

/**
 * Header of every request of a deploy: entries of the change log then have `yaml` as their source, unlike changes by
 * people.
 */
const YAML_SOURCE = { "X-Svc-Source": "yaml" };

/** A plan, and everything that it was made from. */
export interface PreparedDeploy {
  api: ApiClient;
  desired: Desired;
  remote: Remote;
  state: DeployState;
  plan: Plan;
  /** Planned changes of resources that someone else changed since the last deploy. */
  drifted: PlannedChange[];
  /** Limits of the team that the deploy would exceed. */
  exceeded: ExceededLimit[];
  /** Capacity of the locations that the plan touches, before and after; undefined: not known. */
  capacity: CapacityPreview | undefined;
}

/**
 * Plans a deploy of the config in the working folder. Changes nothing.
 * @throws CliError, ApiError and what fetch throws
 */
export async function prepareDeploy(
  context: Context,
  { isPruning }: { isPruning: boolean },
): Promise<PreparedDeploy> {
  const { out } = context;
  const desired = readConfig(context);
  const api = context.api({ headers: YAML_SOURCE });
  await assertVaultReferences(api, desired);
  await assertTeamReferences(api, desired);
  out.progress("reading what is deployed");
  const remote = await fetchRemote(api);
  const { project, renamedFrom, folder } = desired;
  const target = { apiUrl: context.apiUrl(), project, renamedFrom, folder };
  const state = readState(target, remote.baselines, out);
  const plan = computePlan({ desired, remote, state, secrets: out.secrets, isPruning });
  return {
    api,
    desired,
    remote,
    state,
    plan,
    drifted: plan.changes.filter(({ drift }) => drift),
    exceeded: remote.meta ? exceededLimits(remote.meta, plan) : [],
    capacity: await previewCapacity(api, { plan, out, signal: context.signal }),
  };
}

/** Returns a client whose requests are not cut off by Ctrl+C: it would stay unknown whether they were carried out. */
export function uninterruptedApi(context: Context): ApiClient {
  return context.api({ headers: YAML_SOURCE, outlivesInterruption: true });
}
