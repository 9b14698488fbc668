/** Who makes a change, and by what way it came in. */
import type { ChangeSource } from "@svc/contract";
import type { FastifyRequest } from "fastify";

export interface Author {
  source: ChangeSource;
  /** Id of the user or the API key; null: the service itself, at its first start. */
  actor: string | null;
}

/** The service itself or its operator: first boot, the service's own commands. */
export const OPERATOR: Author = { source: "api", actor: null };

/** A session is a person in the dashboard; a key is the command line's deploy when its requests say so. */
export function authorOf({ caller, headers }: Pick<FastifyRequest, "caller" | "headers">): Author {
  if (caller.kind === "session") return { source: "ui", actor: caller.userId };
  return { source: headers["x-svc-source"] === "yaml" ? "yaml" : "api", actor: caller.apiKeyId };
}
