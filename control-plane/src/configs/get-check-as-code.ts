/** A check as the files of a config. */
import { type CheckAsCode, type CheckId, DomainError } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../platform/threads/thread-pool.ts";
import { configJob } from "./config-job.ts";
import { readRecords } from "./read-records.ts";
import { findProjectOf } from "./store.ts";

/** Project of a check that no deploy manages. */
const UNNAMED_PROJECT = "project";

/**
 * Returns what `svc pull --monitor` writes of a check; no value of a secret is in it.
 * @throws DomainError `not_found` when the team has no such check, `unavailable` when too many are being written, or
 * writing it takes too long
 */
export async function getCheckAsCode(ctx: TeamContext, { id }: { id: CheckId }): Promise<CheckAsCode> {
  const { services, teamId } = ctx;
  const records = await readRecords(ctx, { checkId: id });
  const project = (await findProjectOf(services.knex, teamId, id)) ?? null;
  if (!records)
    return {
      project,
      files: [],
      secrets: [],
      reason: "A config can't describe a browser check of a single URL: its monitors have scripts.",
    };
  const input = { records, unmanaged: [], project: project ?? UNNAMED_PROJECT, apiUrl: services.publicUrl() };
  try {
    return { project, ...(await threadPool.run(configJob, { teamId, input })), reason: null };
  } catch (error) {
    if (error instanceof JobOverrun || error instanceof TeamQueueFull)
      throw new DomainError("unavailable", "Writing the config takes too long now; run svc pull --monitor", {
        retryAfterSeconds: 5,
      });
    throw error;
  }
}
