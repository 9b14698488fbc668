/** Judges a proposed config: whether it is valid, and what a deploy of it would change. Changes nothing. */
import { DomainError } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import type { ThreadJob } from "../platform/threads/thread-job.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../platform/threads/thread-pool.ts";
import { type ProposalPlan, proposalPlanJob, proposalReadJob } from "./proposal-jobs.ts";
import { readRemote } from "./read-remote.ts";

/** A judged proposal. */
export interface JudgedProposal {
  /** Everything wrong with it, a line each; empty for a valid one. */
  problems: string[];
  /** The changes that a deploy would make; undefined for a config that is not valid, and where a team has too much to compare. */
  plan?: ProposalPlan;
}

/**
 * Judges the text of a config, or of a fragment of one.
 * @throws DomainError `unavailable` when that takes too long now
 */
export async function judgeProposal(ctx: TeamContext, { text }: { text: string }): Promise<JudgedProposal> {
  const { problems, monitors } = await runProposalJob(ctx, proposalReadJob, text);
  if (problems.length > 0) return { problems };
  const remote = await readRemote(ctx, new Set(monitors));
  return remote
    ? { problems, plan: await runProposalJob(ctx, proposalPlanJob, { text, remote }) }
    : { problems };
}

/**
 * Runs a job of judging a config, in the team's turn.
 * @throws DomainError `unavailable` when it takes too long, or too many of the team's wait
 */
export async function runProposalJob<Input, Output>(
  { teamId }: TeamContext,
  job: ThreadJob<Input, Output>,
  input: Input,
): Promise<Output> {
  try {
    return await threadPool.run(job, { teamId, input });
  } catch (error) {
    if (error instanceof JobOverrun || error instanceof TeamQueueFull)
      throw new DomainError(
        "unavailable",
        "Reading and comparing the config takes too long; propose a smaller part of it, or run svc diff",
        { retryAfterSeconds: 5 },
      );
    throw error;
  }
}
