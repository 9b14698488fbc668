/** Publishes a plan, so that people can look at it by a link: `svc diff --publish`. */

import { type Plan, planChangesJson, summaryOf } from "@svc/as-code/plan";
import {
  type ApiClient,
  type CapacityPreview,
  DEPLOY_PLAN_LIMITS,
  type PublishedDeployPlan,
} from "@svc/contract";
import { generalError } from "../runtime/cli-error.ts";

/** Resources to prune that a published plan lists. */
const PRUNABLE_MAX = 1_000;
/** Locations whose capacity a published plan tells. */
const LOCATIONS_MAX = 1_000;

/** Monitors of an alert policy that a published plan names. */
const MONITORS_MAX = 50;

/** Characters of each of a CI system's words that are published. */
const TEXT_MAX = 1_000;

/** Data that a CI system gives about its run. */
interface CiRun {
  commit: string | null;
  branch: string | null;
  author: string | null;
  url: string | null;
}

/**
 * Publishes a plan.
 * @param input.env the environment, by which CI systems describe their run
 * @throws CliError when it has more changes than a published plan can; ApiError and what fetch throws
 */
export function publishPlan({
  api,
  plan,
  capacity,
  env,
}: {
  api: ApiClient;
  plan: Plan;
  capacity: CapacityPreview | undefined;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<PublishedDeployPlan> {
  const changes = planChangesJson(plan).flatMap(
    ({ type, kind, name, remoteId, fieldChanges, drift, monitors }) =>
      type === "unchanged"
        ? []
        : [
            {
              type,
              kind,
              name,
              remoteId,
              fieldChanges,
              ...(drift && { drift }),
              ...(monitors && {
                holdsFor: { count: monitors.length, monitors: monitors.slice(0, MONITORS_MAX) },
              }),
            },
          ],
  );
  if (changes.length > DEPLOY_PLAN_LIMITS.changesMax)
    throw generalError(
      `--publish: the plan has ${changes.length} changes; at most ${DEPLOY_PLAN_LIMITS.changesMax} can be published`,
    );
  return api.publishDeployPlan({
    project: plan.project,
    changes,
    summary: summaryOf(plan),
    prunable: plan.prunable.slice(0, PRUNABLE_MAX),
    ...(capacity && { capacity: capacity.locations.slice(0, LOCATIONS_MAX) }),
    ci: ciRunOf(env),
  });
}

/** Returns what GitHub Actions, GitLab CI or another CI system says about its run; null outside of one. Pure. */
export function ciRunOf(env: Readonly<Record<string, string | undefined>>): CiRun | null {
  const text = (...names: string[]) =>
    names
      .map((name) => env[name])
      .find((value) => value)
      ?.slice(0, TEXT_MAX) ?? null;
  const url = githubUrl(env) ?? text("CI_JOB_URL", "BUILD_URL");
  const run = {
    commit: text("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"),
    branch: text("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "GIT_BRANCH"),
    author: text("GITHUB_ACTOR", "GITLAB_USER_LOGIN"),
    url: url !== null && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null,
  };
  return Object.values(run).some((value) => value !== null) ? run : null;
}

function githubUrl({
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: run,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
}
