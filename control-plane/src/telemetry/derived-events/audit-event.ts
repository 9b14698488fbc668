import type { AuditAction, AuditActorKind, AuditWay } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

type Values = {
  action: AuditAction;
  actor: string | null;
  actorKind: AuditActorKind;
  actorName: string | null;
  via: AuditWay;
  address: string | null;
  userAgent: string | null;
  resourceId: string | null;
  resourceName: string | null;
};

/** Records an entry of the team's audit log. */
export const auditEvent = defineDerivedEvent<Values>({
  type: "synthetics.audit",
  attributes: {
    action: ATTR.auditAction,
    actor: ATTR.auditActor,
    actorKind: ATTR.auditActorKind,
    actorName: ATTR.auditActorName,
    via: ATTR.auditVia,
    address: ATTR.auditAddress,
    userAgent: ATTR.auditUserAgent,
    resourceId: ATTR.auditResourceId,
    resourceName: ATTR.auditResourceName,
  },
  summary: ({ action, actorName, actorKind, resourceName }) =>
    `${action}${resourceName ? ` (${resourceName})` : ""} by ${actorName ?? actorKind}`,
});
