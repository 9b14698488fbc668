/** Callers of the REST API, once their credential is known. */
import {
  type ApiKeyId,
  DomainError,
  type KeyRole,
  type RunnerKeyId,
  type SessionId,
  type TeamId,
  type TeamRole,
  type UserId,
} from "@svc/contract";

/** Caller of a team's route: an API key of the team, or a person signed in to the dashboard. */
export type Caller =
  | { kind: "api_key"; teamId: TeamId; apiKeyId: ApiKeyId; role: KeyRole }
  | { kind: "session"; teamId: TeamId; userId: UserId; sessionId: SessionId; role: TeamRole };

/** Runner agent that calls a REST route: by the key of its location or of the hosted pool, or by a token for one run. */
export type RunnerCaller =
  | { kind: "runner_key"; runnerKeyId: RunnerKeyId; locationKey: number | null }
  | { kind: "dispatch_token"; checkKey: number; locationKey: number; slotMs: number };

/**
 * Returns the signed-in person on a route that only sessions may call.
 * @throws DomainError `session_required` for any other caller
 */
export function sessionOf(caller: Caller): Extract<Caller, { kind: "session" }> {
  if (caller.kind !== "session") throw new DomainError("session_required", "A dashboard session is needed");
  return caller;
}
