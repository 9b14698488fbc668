/** From the config to what was applied: the steps of `deploy` and `diff`. */
import type { ApiClient, DeployedResource } from "@svc/contract";
import type { Desired } from "../config/desired.ts";
import { readConfig } from "../config/read-config.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";
import { EXIT_CODES } from "../runtime/exit-codes.ts";
import { failureOf } from "../runtime/failure.ts";
import { type Applied, applyPlan } from "./apply-plan.ts";
import { KIND_WORDS } from "./compared-fields.ts";
import { computePlan } from "./compute-plan.ts";
import { fetchRemote, type Remote } from "./fetch-remote.ts";
import type { Change, Plan } from "./planned-change.ts";
import { changeRecords } from "./print-plan.ts";
import { type DeployState, readState, saveState } from "./state.ts";
import { stateAfter } from "./state-after.ts";

/** The change log tells what a config deployed from what somebody did. */
const YAML_SOURCE = { "X-Svc-Source": "yaml" };

/** Everything that a plan is made of, and the plan. */
export interface Prepared {
  api: ApiClient;
  desired: Desired;
  remote: Remote;
  state: DeployState;
  plan: Plan;
  /** Changes that someone else's change stands in the way of. */
  drifted: Change[];
}

export async function prepare(context: Context, options: { isPruning: boolean }): Promise<Prepared> {
  const { out } = context;
  const desired = readConfig(context);
  const api = context.api({ headers: YAML_SOURCE });
  out.progress("reading what is deployed");
  const remote = await fetchRemote(api);
  const where = { apiUrl: context.apiUrl(), project: desired.project, out };
  const state = readState(desired.folder, where, remote.baselines);
  const plan = computePlan({ desired, remote, state, secrets: out.secrets, ...options });
  return { api, desired, remote, state, plan, drifted: plan.changes.filter(({ drift }) => drift) };
}

/** Stops before anything is changed. */
export function driftError(plan: Plan, drifted: readonly Change[]): CliError {
  const names = drifted.map(({ kind, name, drift }) => `  ${KIND_WORDS[kind]} "${name}": ${drift}`);
  return new CliError(
    "drift_detected",
    `${drifted.length} resource${drifted.length === 1 ? "" : "s"} changed on the service since the last deploy; nothing was applied`,
    {
      hint: `${names.map((line) => line.replaceAll("\n", " ")).join("\n")}\n--force applies the config over it, --accept-remote leaves these alone, svc pull --force takes them over`,
      details: { drift: driftRecords(drifted), changes: changeRecords(plan) },
    },
  );
}

export function driftRecords(drifted: readonly Change[]) {
  return drifted.map(({ kind, name, remoteId, drift }) => ({ kind, name, remoteId, result: drift }));
}

/** Applies, keeps the new state also after a failure. @throws CliError when something could not be applied */
export async function applyAndKeep(
  context: Context,
  prepared: Prepared,
  skipped: ReadonlySet<Change>,
): Promise<Applied> {
  const { remote, plan } = prepared;
  const { out, signal } = context;
  // A request under way is let finish: whether it was carried out would be unknown otherwise.
  const applied = await applyPlan(plan, skipped, {
    api: steadyApi(context),
    remote,
    signal,
    onProgress: (done, total) => out.progress(`applied ${done} of ${total}`),
  });
  await keepState(context, prepared, applied).catch((error) => {
    if (applied.failed.length === 0 && !signal.aborted) throw error;
    out.warn(`what was applied could not be recorded: ${failureOf(error, context.apiUrl()).message}`);
  });
  const { length: open } = [...applied.left, ...applied.partly];
  if (applied.failed.length > 0 || (signal.aborted && open > 0)) throw partialError(context, applied);
  return applied;
}

async function keepState(context: Context, prepared: Prepared, applied: Applied): Promise<void> {
  const { desired, state } = prepared;
  const api = steadyApi(context);
  const hasChanged = [...applied.done, ...applied.partly, ...applied.failed].length > 0;
  const remote = hasChanged ? await fetchRemote(api) : prepared.remote;
  const resources = stateAfter(desired, remote, state, context.out.secrets);
  if (!hasChanged && state.hasFile && isSame(resources, state.all())) return;
  const where = { apiUrl: context.apiUrl(), project: desired.project, out: context.out };
  await saveState(desired.folder, where, resources, api);
}

function steadyApi(context: Context): ApiClient {
  return context.api({ headers: YAML_SOURCE, outlivesInterruption: true });
}

function isSame(a: readonly DeployedResource[], b: readonly DeployedResource[]): boolean {
  const lines = (list: readonly DeployedResource[]) =>
    list.map((one) => JSON.stringify([one.kind, one.name, one.resourceId, one.hash, one.updatedAt])).sort();
  return JSON.stringify(lines(a)) === JSON.stringify(lines(b));
}

/** 4 once something was applied; else what the failure itself is. */
function partialError(context: Context, { done, failed, partly, left, hasChanged }: Applied): CliError {
  const causes = failed.map(({ change, error }) => ({
    type: change.type,
    kind: change.kind,
    name: change.name,
    failure: failureOf(error, context.apiUrl()),
  }));
  const first = causes[0]?.failure;
  const reason = hasChanged ? "partial_failure" : (first?.reason ?? "interrupted");
  const lines = [
    ...done.map(({ type, kind, name }) => `  applied: ${type} ${KIND_WORDS[kind]} "${name}"`),
    ...partly.map(({ type, kind, name }) => `  applied in part: ${type} ${KIND_WORDS[kind]} "${name}"`),
    ...causes.map(
      ({ type, kind, name, failure }) =>
        `  failed: ${type} ${KIND_WORDS[kind]} "${name}": ${failure.message}`,
    ),
    ...left.map(({ type, kind, name }) => `  not applied: ${type} ${KIND_WORDS[kind]} "${name}"`),
  ];
  const names = (changes: readonly Change[]) => changes.map(({ type, kind, name }) => ({ type, kind, name }));
  return new CliError(
    reason,
    `${first ? "the deploy failed" : "the deploy was interrupted"}: ${done.length} applied, ${partly.length === 0 ? "" : `${partly.length} in part, `}${failed.length} failed, ${left.length} not applied`,
    {
      hint: `${lines.map((line) => line.replaceAll("\n", " ")).join("\n")}\nRun svc deploy again to continue`,
      details: {
        applied: names(done),
        failed: causes.map(({ failure, ...one }) => ({
          ...one,
          message: failure.message,
          exitCode: EXIT_CODES[failure.reason],
        })),
        appliedInPart: names(partly),
        notApplied: names(left),
      },
    },
  );
}
