/** Applies a prepared deploy and keeps the state that it leaves. */

import type { PlannedChange } from "@svc/as-code/plan";
import type { DeployedResource } from "@svc/contract";
import type { Context } from "../runtime/context.ts";
import { failureOf } from "../runtime/failure.ts";
import { type Applied, applyPlan } from "./apply-plan.ts";
import { partialDeployError } from "./deploy-errors.ts";
import { fetchRemote } from "./fetch-remote.ts";
import { type PreparedDeploy, uninterruptedApi } from "./prepare-deploy.ts";
import { saveState } from "./state.ts";
import { stateAfter } from "./state-after.ts";

/**
 * Applies the plan but for `skipped`, and keeps the new state, also after a failure.
 * @throws CliError when something could not be applied
 */
export async function applyAndKeep(
  context: Context,
  prepared: PreparedDeploy,
  skipped: ReadonlySet<PlannedChange>,
): Promise<Applied> {
  const { remote, plan } = prepared;
  const { out, signal } = context;
  const applied = await applyPlan(plan, skipped, {
    api: uninterruptedApi(context),
    remote,
    signal,
    onProgress: (done, total) => out.progress(`applied ${done} of ${total}`),
  });
  await keepState(context, prepared, applied).catch((error) => {
    if (applied.failed.length === 0 && !signal.aborted) throw error;
    out.warn(`what was applied could not be recorded: ${failureOf(error, context.apiUrl()).message}`);
  });
  const isIncomplete = applied.left.length + applied.partly.length > 0;
  if (applied.failed.length > 0 || (signal.aborted && isIncomplete))
    throw partialDeployError(context.apiUrl(), applied);
  return applied;
}

async function keepState(context: Context, prepared: PreparedDeploy, applied: Applied): Promise<void> {
  const { desired, state } = prepared;
  const api = uninterruptedApi(context);
  const mayHaveChanged = applied.done.length + applied.partly.length + applied.failed.length > 0;
  const remote = mayHaveChanged ? await fetchRemote(api) : prepared.remote;
  const resources = stateAfter({ desired, remote, former: state, secrets: context.out.secrets });
  const isSettled = state.hasFile && state.formerProject === undefined;
  if (!mayHaveChanged && isSettled && areSame(resources, state.all())) return;
  const target = { apiUrl: context.apiUrl(), project: desired.project, folder: desired.folder };
  await saveState(target, resources, { api, out: context.out, formerProject: state.formerProject });
}

function areSame(a: readonly DeployedResource[], b: readonly DeployedResource[]): boolean {
  const lines = (list: readonly DeployedResource[]) =>
    list.map((one) => JSON.stringify([one.kind, one.name, one.resourceId, one.hash, one.updatedAt])).sort();
  return JSON.stringify(lines(a)) === JSON.stringify(lines(b));
}
