/** Reads the team's people, API keys and display links. */
import type { apiKeyRoutes, displayLinkRoutes, secretRoutes, teamRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";

/** The team's API keys, without their secrets. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: () => request<typeof apiKeyRoutes.list>("GET", "/api/api-keys"),
});

/** The team's display links, without their secrets. */
export const displayLinksQuery = queryOptions({
  queryKey: ["display links"],
  queryFn: () => request<typeof displayLinkRoutes.list>("GET", "/api/display-links"),
});

/** The team's secrets, without their values. */
export const secretsQuery = queryOptions({
  queryKey: ["secrets"],
  queryFn: () => request<typeof secretRoutes.list>("GET", "/api/secrets"),
});

/** The team's people. */
export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: () => request<typeof teamRoutes.listMembers>("GET", "/api/team/members"),
});

/** The invitations that nobody has accepted yet; for owners. */
export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: () => request<typeof teamRoutes.listInvitations>("GET", "/api/team/invitations"),
});
