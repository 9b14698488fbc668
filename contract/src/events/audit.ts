/** The actions that the audit log records. Whoever carries out such an action records it with `recordAudit`. */
import { defineFamily } from "../base/family.ts";

/** An action of the audit log. */
export interface AuditActionDefinition {
  /** Name of the action: the kind of thing it concerns, and the event. */
  readonly type: string;
  /** Completes "... is recorded when": the event in words. */
  readonly when: string;
}

/** The actions that the audit log records, in the order in which they are documented. */
export const auditActions = defineFamily("audit action", [
  {
    type: "session.started",
    when: "somebody signed in; `detail.by` is `password`, `link`, `oidc` or `invitation`",
  },
  {
    type: "session.ended",
    when: "somebody signed out",
  },
  { type: "session.revoked", when: "somebody ended a session of their own account, named by its id" },
  {
    type: "session.team_changed",
    when: "somebody went on in another of their teams; `detail.direction` is `left` in the one and `entered` in the other",
  },
  {
    type: "sign_in.failed",
    when: "somebody gave a wrong password for an account, or one for no account; at most 20 an hour for an account, one per address",
  },
  { type: "sign_in_link.created", when: "the operator made a one-time sign-in link" },
  {
    type: "device_login.authorized",
    when: "a signed-in person let `svc login` have a key; `detail.requestedFrom` is the address that asked for it",
  },
  { type: "device_login.denied", when: "a signed-in person refused `svc login` a key" },
  { type: "invitation.created", when: "somebody was invited, or invited anew, with `detail.role`" },
  { type: "invitation.revoked", when: "an invitation was revoked" },
  {
    type: "member.added",
    when: "a person came into the team with `detail.role`; `detail.by` is `invitation` or, by the rule for the domain of their email address, `oidc_domain`; `detail.account` is `new` or `existing`",
  },
  {
    type: "member.role_changed",
    when: "a person got another role: `detail.role` instead of `detail.formerRole`",
  },
  { type: "member.removed", when: "a person with `detail.role` was removed from the team" },
  { type: "password.set", when: "a person chose the first password of their account" },
  { type: "password.changed", when: "a person chose another password" },
  {
    type: "password.reset",
    when: "the operator took an account's password away (`detail.to` `none`) or set another one (`password`)",
  },
  {
    type: "api_key.created",
    when: "an API key was made, by a person, by `svc login` or by the operator",
  },
  {
    type: "api_key.expiring",
    when: "an API key ends within a week, at `detail.expiresAt`; once for a key, by the service itself",
  },
  { type: "api_key.revoked", when: "an API key was revoked" },
  {
    type: "api_key.used_from_new_address",
    when: "an API key made its first request from an address, or from the /64 network of an IPv6 address; the first 100 of a key",
  },
  {
    type: "display_link.created",
    when: "a link was made that opens the wall on a screen; it ends at `detail.expiresAt`",
  },
  { type: "display_link.revoked", when: "a display link was revoked" },
  {
    type: "display_link.used_from_new_address",
    when: "a screen read by a display link from an address, or from the /64 network of an IPv6 address, for the first time; the first 100 of a link",
  },
  { type: "runner_key.created", when: "a runner key was made" },
  { type: "runner_key.revoked", when: "a runner key was revoked" },
  {
    type: "secrets.revealed",
    when: "configurations of checks or channels were answered in clear; once an hour for a key or a person, and apart for `detail.of` `checks` and `channels`",
  },
  { type: "secret.created", when: "a secret of the team was made" },
  { type: "secret.changed", when: "a secret of the team got another value" },
  { type: "secret.deleted", when: "a secret of the team was deleted" },
  { type: "telemetry.changed", when: "the destination of the OpenTelemetry export was changed" },
  { type: "incident_policy.changed", when: "the incident policy was set, changed or removed" },
  { type: "rota.changed", when: "a rota was made, changed or deleted" },
  { type: "team.created", when: "the operator made the team, or the first start did" },
  { type: "team.plan_changed", when: "the operator put the team on a plan" },
  {
    type: "team.deleted",
    when: "an owner or the operator deleted the team; the entry is the operator's, since those of the team go with it",
  },
  { type: "team.exported", when: "an owner read the export of the team" },
  { type: "location.deprecated", when: "the operator deprecated a hosted location" },
  { type: "location.retired", when: "the operator retired a hosted location" },
  { type: "location.activated", when: "the operator put a hosted location in service again" },
  { type: "secrets.resealed", when: "the operator encrypted the stored secrets under a new key" },
] as const satisfies readonly AuditActionDefinition[]);
/** Name of an action that the audit log records. */
export type AuditAction = (typeof auditActions)["types"][number];
