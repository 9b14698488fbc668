/** Access: which credential, and which role, a route needs. Each route of the table names one of these. */
import type { TeamRole } from "../resources/role.ts";

/** A kind of access. */
interface AccessRule {
  /** Credentials that pass. */
  readonly credentials: "key or session" | "key" | "session" | "display" | "runner" | "none";
  /** Smallest role that passes; absent where roles don't count. */
  readonly role?: TeamRole;
  /** Routes that have this access, as the documentation says it. */
  readonly routes: string;
}

/** The rule of each kind of access. */
export const ACCESS_RULES = {
  reads: {
    credentials: "key or session",
    role: "viewer",
    routes: "reading the team's records; a key that revokes itself",
  },
  changes: {
    credentials: "key or session",
    role: "member",
    routes: "changing the team's records, and whatever makes the service act: triggers, tests, analyses",
  },
  members_read: {
    credentials: "key or session",
    role: "member",
    routes: "reading the audit log, and who subscribes to status pages",
  },
  key_reads: {
    credentials: "key",
    role: "viewer",
    routes: "the MCP server, whose tools that change something need the role member",
  },
  session: {
    credentials: "session",
    role: "viewer",
    routes: "the signed-in person's own account, and lists for people only",
  },
  session_changes: { credentials: "session", role: "member", routes: "API keys, display links, `svc login`" },
  incident_session: { credentials: "session", role: "member", routes: "the lifecycle of incidents" },
  owner: { credentials: "session", role: "owner", routes: "people, billing, and the end of the team" },
  display: { credentials: "display", routes: "the display session of a screen itself" },
  runner: { credentials: "runner", routes: "results of runners: a runner key or a dispatch token" },
  public: { credentials: "none", routes: "signing in, and links that carry their own proof" },
} as const satisfies Record<string, AccessRule>;

/** Name of a kind of access. */
export type Access = keyof typeof ACCESS_RULES;

/** Returns the rule of a kind of access. */
export function accessRuleOf(access: Access): AccessRule {
  return ACCESS_RULES[access];
}
