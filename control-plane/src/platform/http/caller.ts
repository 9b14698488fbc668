/** Callers of the REST API, once their credential is known. */
import {
  type ApiKeyId,
  type DisplayLinkId,
  DomainError,
  type KeyRole,
  type RunnerKeyId,
  type SessionId,
  type TeamId,
  type TeamRole,
  type UserId,
} from "@svc/contract";

/** Caller of a team's route: an API key of the team, a person signed in to the dashboard, or a screen that shows the wall. */
export type Caller =
  | { kind: "api_key"; teamId: TeamId; apiKeyId: ApiKeyId; role: KeyRole }
  | { kind: "session"; teamId: TeamId; userId: UserId; sessionId: SessionId; role: TeamRole }
  | { kind: "display"; teamId: TeamId; displayLinkId: DisplayLinkId; role: "viewer" };

/** Runner agent that calls a REST route: by the key of its location or of the hosted pool, or by a token for one run. */
export type RunnerCaller =
  | { kind: "runner_key"; runnerKeyId: RunnerKeyId; locationKey: number | null }
  | { kind: "dispatch_token"; checkKey: number; locationKey: number; slotMs: number };

/** Returns the id of whom a caller acts for: the person, the API key or the display link. */
export function actorIdOf(caller: Caller): UserId | ApiKeyId | DisplayLinkId {
  return caller.kind === "session" ? caller.userId : credentialIdOf(caller);
}

/** Returns the id of the caller's credential: the session, the API key or the display link. */
export function credentialIdOf<Any extends Caller>(caller: Any): CredentialIdOf<Any> {
  const id =
    caller.kind === "session"
      ? caller.sessionId
      : caller.kind === "api_key"
        ? caller.apiKeyId
        : caller.displayLinkId;
  return id as CredentialIdOf<Any>;
}

type CredentialIdOf<Any extends Caller> = Any extends { kind: "session" }
  ? SessionId
  : Any extends { kind: "api_key" }
    ? ApiKeyId
    : DisplayLinkId;

/**
 * Returns the signed-in person on a route that only sessions may call.
 * @throws DomainError `session_required` for any other caller
 */
export function sessionOf(caller: Caller): Extract<Caller, { kind: "session" }> {
  if (caller.kind !== "session") throw new DomainError("session_required", "A dashboard session is needed");
  return caller;
}
