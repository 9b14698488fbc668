/**
 * Where a request reads: a report from the standby when there is one close behind the primary, all else from the primary.
 * The standby gives answers only, no refusals and no errors: whatever it does not answer is asked of the primary at once.
 */
import { DomainError } from "@svc/contract";
import type { FastifyRequest } from "fastify";
import { isStatementTimeout } from "../db/errors.ts";
import { isRead } from "./request-seats.ts";

/**
 * Answers a request by `answer`, which reads from where `request` says; calls it a second time when the standby does not
 * answer. A change has the team's reports read from the primary until the standby has it.
 */
export async function readingWhereAllowed<Answer>(
  request: FastifyRequest,
  isReport: boolean | undefined,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const { standby } = request.server;
  if (!standby || !request.caller) return answer();
  const { teamId } = request.caller;
  const { reads, services } = standby;
  if (!isRead(request)) return answer().finally(() => reads.noteChange(teamId));
  if (!isReport) return answer();
  if (reads.isUsableFor(teamId)) {
    request.standbyServices = services;
    try {
      const answered = await answer();
      reads.countRead("standby");
      return answered;
    } catch (error) {
      if (isSameOnPrimary(error)) throw error;
      ofStandby.add(error as Error);
    } finally {
      request.standbyServices = undefined;
    }
  }
  reads.countRead("primary");
  try {
    return await answer();
  } catch (error) {
    // Requests share answers that are on their way: this one may have got that of a request to the standby.
    if (!ofStandby.has(error as Error)) throw error;
    return answer();
  }
}

/** Errors of the standby, as long as somebody holds them. */
const ofStandby = new WeakSet<Error>();

/** True for a refusal of the request itself, and for a statement that takes too long; what is not found may come yet. */
function isSameOnPrimary(error: unknown): boolean {
  return isStatementTimeout(error) || (error instanceof DomainError && error.code !== "not_found");
}
