/** Reads the signed-in person's session and the ways of signing in. */
import type { authRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { RequestError, request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** Interval while the service is starting or its database away. */
const UNAVAILABLE_MS = 2_000;

/** The signed-in person, her team and role. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => request<typeof authRoutes.session>("GET", "/api/auth/session"),
  refetchInterval: ({ state: { error } }) =>
    error instanceof RequestError && error.status === 503 ? UNAVAILABLE_MS : SLOW_MS,
});

/** The ways of signing in. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in options"],
  queryFn: () => request<typeof authRoutes.getOptions>("GET", "/api/auth/options"),
});

/** The sign-in sessions of the person's own account. */
export const signInSessionsQuery = queryOptions({
  queryKey: ["sign-in sessions"],
  queryFn: () => request<typeof authRoutes.listSignInSessions>("GET", "/api/auth/sessions"),
});
