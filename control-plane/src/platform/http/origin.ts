/** Where a request came from, for the audit log. */
import { type AuditWay, firstCharacters } from "@svc/contract";
import type { FastifyRequest } from "fastify";
import type { Origin } from "../team-context.ts";

/** Characters of a User-Agent that are kept. */
const USER_AGENT_LENGTH_MAX = 256;

/**
 * Returns the origin of a request that came in by this way. A key that `svc` uses, known by its User-Agent, came by
 * `cli`.
 */
export function originOf({ ip, headers }: Pick<FastifyRequest, "headers" | "ip">, via: AuditWay): Origin {
  const userAgent = headers["user-agent"];
  const isCommandLine = via === "key" && userAgent?.startsWith("svc-cli/");
  return {
    via: isCommandLine ? "cli" : via,
    address: ip,
    userAgent: userAgent === undefined ? null : firstCharacters(userAgent, USER_AGENT_LENGTH_MAX),
  };
}
