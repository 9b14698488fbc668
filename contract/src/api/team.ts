/** Routes of a team's people. They are for signed-in people only. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { successSchema } from "../base/success.ts";
import {
  acceptInvitationSchema,
  createdInvitationSchema,
  createInvitationSchema,
  deleteTeamSchema,
  invitationSchema,
  memberSchema,
  teamExportSchema,
  updateMemberSchema,
} from "../resources/people.ts";
import { defineRoute } from "./route.ts";

const tag = "Team";
const member = z.object({ userId: idSchema("user") });

/** Routes of a team's people, by operation. */
export const teamRoutes = {
  listMembers: defineRoute({
    method: "GET",
    path: "/api/team/members",
    access: "session",
    tag,
    summary: "List the team's people",
    answer: z.object({ members: z.array(memberSchema) }),
  }),
  updateMember: defineRoute({
    method: "PUT",
    path: "/api/team/members/:userId",
    access: "owner",
    tag,
    summary: "Give a member another role",
    description: "The person's next request has it. A team keeps an owner: 409 for the last one.",
    params: member,
    body: updateMemberSchema,
    answer: z.object({ member: memberSchema }),
    otherAnswers: { 409: errorSchema },
  }),
  removeMember: defineRoute({
    method: "DELETE",
    path: "/api/team/members/:userId",
    access: "owner",
    tag,
    summary: "Remove a member and end their sessions in the team",
    description: "A team keeps an owner: 409 for the last one. Keys that the person made stay.",
    params: member,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
  listInvitations: defineRoute({
    method: "GET",
    path: "/api/team/invitations",
    access: "owner",
    tag,
    summary: "List invitations that nobody has accepted yet",
    answer: z.object({ invitations: z.array(invitationSchema) }),
  }),
  createInvitation: defineRoute({
    method: "POST",
    path: "/api/team/invitations",
    access: "owner",
    tag,
    summary: "Invite a person; the answer is the only one that shows the link",
    description: "Replaces an invitation of the same address. 409 when the person is a member.",
    body: createInvitationSchema,
    status: 201,
    answer: z.object({ invitation: createdInvitationSchema }),
    otherAnswers: { 409: errorSchema },
  }),
  deleteInvitation: defineRoute({
    method: "DELETE",
    path: "/api/team/invitations/:id",
    access: "owner",
    tag,
    summary: "Revoke an invitation",
    params: z.object({ id: idSchema("invitation") }),
    answer: successSchema,
  }),
  exportTeam: defineRoute({
    method: "GET",
    path: "/api/team/export",
    access: "owner",
    tag,
    summary: "Read the team's people, configuration and records as one JSON document",
    description:
      "Secrets are masked; results, which `GET /api/checks/:id/results` lists, and files are left out. The document is written while it is read: records that change meanwhile may be in it as before or as after. One that breaks off is no valid JSON.",
    answer: teamExportSchema,
  }),
  deleteTeam: defineRoute({
    method: "DELETE",
    path: "/api/team",
    access: "owner",
    tag,
    summary: "Delete the team with all of its records",
    description:
      "Ends at once: sessions, keys, runner keys, and the runs of its checks. Records, results and files are removed within minutes after that. Accounts of people who are in no other team go, too. 400 when `name` is not the team's.",
    body: deleteTeamSchema,
    answer: successSchema,
  }),
  acceptInvitation: defineRoute({
    method: "POST",
    path: "/auth/invitation",
    access: "public",
    tag,
    summary: "Join a team by the link of an invitation",
    description:
      "The link itself, `GET /auth/invitation?token=`, shows a page with a button that does this. A new account needs a `password` to be chosen; an account that exists needs its own, or its session.",
    body: acceptInvitationSchema,
    status: 303,
    answer: z.null().describe("Joined: on to the dashboard, or to the identity provider"),
    otherAnswers: {
      400: errorSchema,
      401: errorSchema,
      403: errorSchema,
      409: errorSchema,
      410: errorSchema,
    },
  }),
};
