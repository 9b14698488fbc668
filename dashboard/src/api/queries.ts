/** What pages read, each with the interval in which it is read again while somebody looks. */
import type {
  alertInstanceRoutes,
  apiKeyRoutes,
  authRoutes,
  changeRoutes,
  channelRoutes,
  checkRoutes,
  incidentRoutes,
  locationRoutes,
  resultRoutes,
  sloRoutes,
  teamRoutes,
} from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "./request.ts";

/** Interval of what changes with every run. */
const FAST_MS = 5_000;
/** Interval of what people change. */
const SLOW_MS = 30_000;
/** Checks whose health one answer has at most. */
const HEALTH_PAGE = 200;

/** The signed-in person, her team and role. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => request<typeof authRoutes.session>("GET", "/api/auth/session"),
  refetchInterval: SLOW_MS,
});

/** The ways of signing in. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in options"],
  queryFn: () => request<typeof authRoutes.getOptions>("GET", "/api/auth/options"),
});

/** All checks, without their configurations. */
export const checksQuery = queryOptions({
  queryKey: ["checks"],
  queryFn: () => request<typeof checkRoutes.list>("GET", "/api/checks", { query: { view: "summary" } }),
  refetchInterval: SLOW_MS,
});

/** The health of all checks, read page by page. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => {
    const checks = [];
    let cursor: string | undefined;
    do {
      const page = await request<typeof resultRoutes.listHealth>("GET", "/api/checks/health", {
        query: { limit: HEALTH_PAGE, ...(cursor !== undefined && { cursor }) },
      });
      checks.push(...page.checks);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return checks;
  },
  refetchInterval: FAST_MS,
});

/** A check with its newest results. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ["check", id],
    queryFn: () => request<typeof checkRoutes.get>("GET", "/api/checks/:id", { params: { id } }),
    refetchInterval: FAST_MS,
  });

/** Which slots of the last 24 h have results, by location. */
export const coverageQuery = (id: string) =>
  queryOptions({
    queryKey: ["coverage", id],
    queryFn: () =>
      request<typeof resultRoutes.getCoverage>("GET", "/api/checks/:id/coverage", {
        params: { id },
        query: { range: "24h" },
      }),
    refetchInterval: SLOW_MS,
  });

/** A result with its evidence. */
export const resultQuery = (id: string, resultId: string) =>
  queryOptions({
    queryKey: ["result", resultId],
    queryFn: () =>
      request<typeof resultRoutes.get>("GET", "/api/checks/:id/results/:resultId", {
        params: { id, resultId },
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Alerts, newest first. @param filter `state`, comma-separated, and `checkId` */
export const alertsQuery = (filter: { state?: string; checkId?: string }) =>
  queryOptions({
    queryKey: ["alerts", filter],
    queryFn: () =>
      request<typeof alertInstanceRoutes.list>("GET", "/api/alerts/instances", {
        query: { ...filter, limit: 100 },
      }),
    refetchInterval: FAST_MS,
  });

/** An alert with its history. */
export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ["alert", id],
    queryFn: () =>
      request<typeof alertInstanceRoutes.get>("GET", "/api/alerts/instances/:id", { params: { id } }),
    refetchInterval: FAST_MS,
  });

/** Incidents, newest first. */
export const incidentsQuery = (state: string) =>
  queryOptions({
    queryKey: ["incidents", state],
    queryFn: () =>
      request<typeof incidentRoutes.list>("GET", "/api/incidents", { query: { state, limit: 100 } }),
    refetchInterval: FAST_MS,
  });

/** An incident with its events and alerts. */
export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ["incident", id],
    queryFn: () => request<typeof incidentRoutes.get>("GET", "/api/incidents/:id", { params: { id } }),
    refetchInterval: FAST_MS,
  });

/** The locations that the team can use. */
export const locationsQuery = queryOptions({
  queryKey: ["locations"],
  queryFn: () => request<typeof locationRoutes.list>("GET", "/api/locations"),
  refetchInterval: SLOW_MS,
});

/** The team's notification channels. */
export const channelsQuery = queryOptions({
  queryKey: ["channels"],
  queryFn: () => request<typeof channelRoutes.list>("GET", "/api/notification-channels"),
  refetchInterval: SLOW_MS,
});

/** The team's SLOs. */
export const slosQuery = queryOptions({
  queryKey: ["slos"],
  queryFn: () => request<typeof sloRoutes.list>("GET", "/api/slos"),
  refetchInterval: SLOW_MS,
});

/** How far an SLO's error budget is used. */
export const sloStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ["slo status", id],
    queryFn: () => request<typeof sloRoutes.getStatus>("GET", "/api/slos/:id/status", { params: { id } }),
    refetchInterval: SLOW_MS,
  });

/** The newest changes of the configuration. */
export const changesQuery = queryOptions({
  queryKey: ["changes"],
  queryFn: () => request<typeof changeRoutes.list>("GET", "/api/changes", { query: { limit: 100 } }),
  refetchInterval: SLOW_MS,
});

/** The team's API keys, without their secrets. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: () => request<typeof apiKeyRoutes.list>("GET", "/api/api-keys"),
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

/** The sign-in sessions of the person's own account. */
export const signInSessionsQuery = queryOptions({
  queryKey: ["sign-in sessions"],
  queryFn: () => request<typeof authRoutes.listSignInSessions>("GET", "/api/auth/sessions"),
});
