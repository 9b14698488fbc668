/** Reads the signed-in person's session, a screen's display session, and the ways of signing in. */
import type { authRoutes, displayLinkRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { RequestError, request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** Interval while the service is starting or its database away. */
const UNAVAILABLE_MS = 2_000;

/** The signed-in person, her team and role. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => request<typeof authRoutes.session>("GET", "/api/auth/session"),
  refetchInterval: ({ state: { error } }) => {
    // A screen with a display link stays one until somebody signs in there, which loads its page anew.
    if (error instanceof RequestError && error.code === "display_only") return false;
    return isUnavailable(error) ? UNAVAILABLE_MS : SLOW_MS;
  },
});

/** The display link whose wall this browser shows, and in its answer the cookie for the time to come. Asked where nobody is signed in. */
export const displayQuery = queryOptions({
  queryKey: ["display"],
  queryFn: () => request<typeof displayLinkRoutes.get>("GET", "/api/auth/display"),
  // Nobody is there who would press a button: a service that is away is asked until it answers.
  refetchInterval: ({ state: { error } }) => (isUnavailable(error) ? UNAVAILABLE_MS : SLOW_MS),
});

/** True while the service is away or starting. */
function isUnavailable(error: unknown): boolean {
  return error instanceof RequestError && (error.status === 0 || error.status >= 500);
}

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
