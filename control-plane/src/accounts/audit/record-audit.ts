/** The one way to write into the audit log. Entries are only ever added. */
import {
  type AuditAction,
  type AuditActorKind,
  type AuditEntry,
  isId,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { findActorName, insertAuditEntry } from "./store.ts";

/** On whose behalf an action was carried out; a TeamContext is one. */
export interface AuditContext {
  services: Pick<Services, "knex" | "clock" | "onAudit">;
  /** null: the action concerns no one team, such as the operator's commands. */
  teamId: TeamId | null;
  author: Author;
}

/** An action to be recorded. */
export interface AuditedAction {
  action: AuditAction;
  /** Id of the record that it concerns; default none. */
  resourceId?: string;
  resourceName?: string | null;
  detail?: AuditEntry["detail"];
  /** Text that an entry has alone: another entry with it is not written. Default: each is written. */
  onceKey?: string;
}

/**
 * Records an action: who, from where and by what way. Call it in the transaction of the action, where there is one.
 * @param trx default: the connections of the services
 */
export async function recordAudit(
  { services, teamId, author }: AuditContext,
  { action, resourceId, resourceName = null, detail = {}, onceKey }: AuditedAction,
  trx: Knex = services.knex,
): Promise<void> {
  const { actor, origin } = author;
  const atMs = services.clock.nowMs();
  const entry = {
    action,
    actor,
    actorKind: actorKindOf(author),
    actorName: actor === null ? (author.name ?? null) : await findActorName(trx, actor),
    ...origin,
    resourceId: resourceId ?? null,
    resourceName,
    detail,
  };
  const id = newId("auditEntry");
  const isNew = await insertAuditEntry(trx, { ...entry, id, teamId, onceKey, createdAt: new Date(atMs) });
  if (isNew && teamId !== null) await services.onAudit(trx, { ...entry, teamId, atMs });
}

function actorKindOf({ actor, origin }: Author): AuditActorKind {
  if (actor === null) return origin.via === "operator" ? "operator" : "unknown";
  if (isId("user", actor)) return "user";
  return isId("displayLink", actor) ? "display_link" : "api_key";
}
