/** The first parameter of every verb: on whose behalf it acts, and with what. */
import type { AuditWay, ChangeSource, TeamId } from "@svc/contract";
import type { Services } from "./services.ts";

/** Where a request or command came from, as the audit log names it. */
export interface Origin {
  via: AuditWay;
  /** IP address; null: a command on the service's own machine. */
  address: string | null;
  userAgent: string | null;
}

/** Author of a change, as the change log and the audit log name it. */
export interface Author {
  /** The way by which the change came in. */
  source: ChangeSource;
  /** Id of the user or of the API key; null: the service itself or its operator. */
  actor: string | null;
  /** Name of an author without an id, such as the operator's account; users and keys are named by their records. */
  name?: string;
  origin: Origin;
}

/** The author of changes that the service makes at its first start and of the operator's own commands. */
export const OPERATOR: Author = {
  source: "api",
  actor: null,
  origin: { via: "operator", address: null, userAgent: null },
};

/**
 * Context of a verb: a verb is `verbNoun(ctx, input)`, sees the records of this team alone and writes this author into the
 * change log. Made from a request by `contextOf`; nothing defaults to an author.
 */
export interface TeamContext {
  readonly services: Services;
  readonly teamId: TeamId;
  readonly author: Author;
  /** ETags of which the record to change must have one, as the request wrote them; undefined: any. */
  readonly ifMatch?: string | undefined;
}
