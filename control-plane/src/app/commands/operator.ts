/** The author of the operator's commands, and the record of those that change no team's configuration. */
import { hostname, userInfo } from "node:os";
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { AuditedAction } from "../../accounts/audit/record-audit.ts";
import { recordAudit } from "../../accounts/audit/record-audit.ts";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";

/** Returns the author of a command: the account that runs it, as `account@host`; behind sudo the account that called it. */
export function commandAuthor(): Author {
  return { ...OPERATOR, name: `${process.env.SUDO_USER ?? accountName()}@${hostname()}` };
}

/** Records a command in the audit log, in the transaction of its work. */
export async function recordCommand(
  { services, trx = services.knex }: { services: Services; trx?: Knex },
  { teamId, ...action }: AuditedAction & { teamId: TeamId | null },
): Promise<void> {
  await recordAudit({ services, teamId, author: commandAuthor() }, action, trx);
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry in the system's list, as containers have.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
