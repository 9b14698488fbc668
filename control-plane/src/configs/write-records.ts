/** Writes records as the files of a config, in a job thread and in the team's turn. */
import { type CheckAsCode, DomainError } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../platform/threads/thread-pool.ts";
import { type ConfigInput, configJob } from "./config-job.ts";

/** Project of records that no deploy manages. */
export const UNNAMED_PROJECT = "project";

/**
 * Returns the files, and the environment variables that stand for the secrets.
 * @throws DomainError `unavailable` when too many configs of the team are being written, or writing this one takes too long
 */
export async function writeRecords(
  { services, teamId }: TeamContext,
  { records, unmanaged, project }: Omit<ConfigInput, "apiUrl">,
): Promise<Pick<CheckAsCode, "files" | "secrets">> {
  const input = { records, unmanaged, project, apiUrl: services.publicUrl() };
  try {
    return await threadPool.run(configJob, { teamId, input });
  } catch (error) {
    if (error instanceof JobOverrun || error instanceof TeamQueueFull)
      throw new DomainError("unavailable", "Writing the config takes too long now; run svc pull", {
        retryAfterSeconds: 5,
      });
    throw error;
  }
}
