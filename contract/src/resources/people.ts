/** People of a team: members, invitations, and the sessions and passwords of an account. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { TEAM_ROLES } from "./role.ts";

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 1024;

const roleSchema = z.enum(TEAM_ROLES);

/** Schema of an email address that somebody is invited by. */
const emailSchema = z.string().trim().max(320).pipe(z.email("expected an email address"));

/** Schema of a password that is chosen. */
export const newPasswordSchema = z
  .string()
  .min(PASSWORD_LENGTH_MIN, `a password has at least ${PASSWORD_LENGTH_MIN} characters`)
  .max(PASSWORD_LENGTH_MAX, `a password has at most ${PASSWORD_LENGTH_MAX} characters`);

/** Body of POST /api/team/invitations. */
export const createInvitationSchema = closedObject({
  email: emailSchema,
  role: roleSchema.default("member"),
});
/** Body of the request that invites a person. */
export type CreateInvitation = z.infer<typeof createInvitationSchema>;

/** Schema of an invitation as the list shows it: never with its link. */
export const invitationSchema = z
  .object({
    id: idSchema("invitation"),
    email: z.string(),
    role: roleSchema,
    invitedBy: idSchema("user").nullable().describe("null: the operator, or somebody whose account is gone."),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .meta({ id: "Invitation" });
/** An open invitation, without its link. */
export type Invitation = z.infer<typeof invitationSchema>;

/** Schema of the answer to an invitation, the only one that shows its link. */
export const createdInvitationSchema = invitationSchema
  .extend({ link: z.string().describe("Works once, for 7 days. Hand it to the person yourself.") })
  .meta({ id: "CreatedInvitation" });
/** A new invitation with its link, which is shown this once. */
export type CreatedInvitation = z.infer<typeof createdInvitationSchema>;

/** Body of POST /auth/invitation. An empty password counts as absent, as a form sends it. */
export const acceptInvitationSchema = closedObject({
  token: z.string().min(1, "a link holds a token").max(256, "no token is that long"),
  password: z.string().max(PASSWORD_LENGTH_MAX).optional(),
});

/** Schema of a member of a team. */
export const memberSchema = z
  .object({
    userId: idSchema("user"),
    email: z.string(),
    name: z.string().nullable(),
    role: roleSchema,
    joinedAt: timestampSchema,
    lastSeenAt: timestampSchema.nullable().describe("Exact to 5 minutes."),
  })
  .meta({ id: "Member" });
/** A person of the team. */
export type Member = z.infer<typeof memberSchema>;

/** Body of PUT /api/team/members/:userId. */
export const updateMemberSchema = closedObject({ role: roleSchema });

/** Schema of a session of one's own account. */
export const signInSessionSchema = z
  .object({
    id: idSchema("session"),
    teamId: idSchema("team"),
    isCurrent: z.boolean().describe("True for the session that asks."),
    address: z.string().nullable().describe("IP address that used it last."),
    userAgent: z.string().nullable(),
    createdAt: timestampSchema,
    lastSeenAt: timestampSchema.nullable().describe("Exact to 5 minutes."),
    expiresAt: timestampSchema,
  })
  .meta({ id: "SignInSession" });
/** A sign-in session of the caller's account. */
export type SignInSession = z.infer<typeof signInSessionSchema>;

/** Body of POST /api/auth/team. */
export const switchTeamSchema = closedObject({ teamId: idSchema("team") });

/** Body of POST /api/auth/password. */
export const setPasswordSchema = closedObject({
  currentPassword: z
    .string()
    .max(PASSWORD_LENGTH_MAX)
    .optional()
    .describe("Needed when the account has a password."),
  newPassword: newPasswordSchema,
});
/** Body of the request that changes the account's password. */
export type SetPassword = z.infer<typeof setPasswordSchema>;

/** Body of DELETE /api/team. */
export const deleteTeamSchema = closedObject({
  name: z.string().max(1000).describe("The team's name, typed by the person who deletes it."),
});

const exported = (what: string) => z.array(z.record(z.string(), z.unknown())).describe(what);

/** Schema of the answer of GET /api/team/export. Its records have the fields that their own routes answer. */
export const teamExportSchema = z
  .object({
    format: z.literal("svc.team.v1"),
    teamId: z.string(),
    exportedAt: timestampSchema,
    members: exported("People with their roles."),
    invitations: exported("Invitations that wait, without their links."),
    apiKeys: exported("API keys without their secrets."),
    displayLinks: exported("Display links without their secrets."),
    secrets: exported("Secrets by their names, without values."),
    telemetry: exported("The settings of the OpenTelemetry export."),
    locations: exported("The locations that the team can use."),
    specs: exported("API specs without their documents."),
    checks: exported("Checks, secrets masked."),
    channels: exported("Channels, secrets masked."),
    alertRules: exported("Alert rules, with the id of their check."),
    alertPolicies: exported("Alert policies."),
    incidentPolicy: exported("The incident policy."),
    rotas: exported("Rotas."),
    reportSubscription: exported("Who is sent monthly reports."),
    slos: exported("SLOs."),
    maintenanceWindows: exported("Maintenance windows."),
    statusPages: exported("Status pages."),
    statusNotices: exported("Notices of status pages, with the id of their page."),
    statusSubscribers: exported("Who subscribes to status pages, with the id of the page."),
    alerts: exported("Alert instances."),
    incidents: exported("Incidents, each with its `events`."),
    deployments: exported("Deployment markers."),
    changes: exported("The change log."),
    auditEntries: exported("The audit log."),
  })
  .meta({ id: "TeamExport" });
