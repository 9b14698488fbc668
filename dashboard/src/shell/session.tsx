/** The session of the signed-in person: asked for before any page is shown, and handed to all of them. */
import type { authRoutes, Session } from "@svc/contract";
import { isPagePath, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { sessionQuery } from "../api/queries/session.ts";
import { type Answer, isWithoutSession, RequestError } from "../api/request.ts";
import { SessionEnded } from "./session-ended.tsx";

type SignedIn = Answer<typeof authRoutes.session>;

const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Returns the session. Only within {@link WithSession}. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (!session) throw new Error("a page of the shell was shown without a session");
  return session;
}

/** True when the person may change records: a viewer only reads. */
export function useMayChange(): boolean {
  return (useSession().role satisfies Session["role"]) !== "viewer";
}

/** True when the person may manage the team's people. */
export function useIsOwner(): boolean {
  return useSession().role === "owner";
}

/**
 * Shows its children to a signed-in person; leads everybody else to the sign-in page, and back from there.
 * @param props.orElse returns what stands there without a session; it gets what usually does. Default: that
 */
export function WithSession({
  children,
  orElse = (usual) => usual,
}: {
  children: ReactNode;
  orElse?: (usual: ReactNode) => ReactNode;
}) {
  const { data, error, refetch } = useQuery(sessionQuery);
  const [path] = useLocation();
  const search = useSearch();
  const isSignedOut = isWithoutSession(error);
  if (isSignedOut && !data) return orElse(<Redirect to={signInPath(path, search)} replace />);
  if (data) {
    const page = (
      <SessionContext value={data}>
        {children}
        {isSignedOut && <SessionEnded former={data} />}
      </SessionContext>
    );
    return isSignedOut ? orElse(page) : page;
  }
  if (!error)
    return (
      <p className="loading" aria-busy="true">
        Loading …
      </p>
    );
  return (
    <main className="narrow">
      <h1>
        {error instanceof RequestError && error.status === 503 ? "svc is starting" : "svc can't be reached"}
      </h1>
      <p role="alert">{error.message}</p>
      <button type="button" onClick={() => void refetch()}>
        Retry
      </button>
    </main>
  );
}

function signInPath(path: string, search: string): string {
  const here = search === "" ? path : `${path}?${search}`;
  const signIn = pagePath("signIn", {});
  return here !== "/" && isPagePath(here) ? `${signIn}?returnTo=${encodeURIComponent(here)}` : signIn;
}
