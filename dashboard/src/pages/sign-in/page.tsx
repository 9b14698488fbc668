/** The sign-in page: by password, or at the identity provider. */
import { type authRoutes, isPagePath, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useSearch } from "wouter";
import { signInOptionsQuery } from "../../api/queries/session.ts";
import { request } from "../../api/request.ts";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";

/** Shows the ways of signing in; leads back to the page that was asked for. */
export function SignIn() {
  const asked = new URLSearchParams(useSearch()).get("returnTo") ?? "";
  const returnTo = isPagePath(asked) ? asked : pagePath("overview", {});
  const options = useQuery(signInOptionsQuery);
  return (
    <main className="narrow">
      <Page title="Sign in">
        <Loaded query={options}>
          {({ password, oidcStartUrl }) => (
            <>
              {oidcStartUrl !== null && (
                <p>
                  <a className="button" href={`${oidcStartUrl}?returnTo=${encodeURIComponent(returnTo)}`}>
                    Sign in with your identity provider
                  </a>
                </p>
              )}
              {password && <PasswordForm returnTo={returnTo} />}
              <p className="quiet">
                No password yet, or forgotten? Whoever operates this service makes a one-time link:{" "}
                <code>npx svc-control-plane sign-in-link --email you@example.com</code>
              </p>
            </>
          )}
        </Loaded>
      </Page>
    </main>
  );
}

function PasswordForm({ returnTo }: { returnTo: string }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const password = useRef<HTMLInputElement>(null);
  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setIsBusy(true);
    setProblem(undefined);
    try {
      await request<typeof authRoutes.login>("POST", "/api/auth/login", {
        body: { email: String(fields.get("email")), password: String(fields.get("password")) },
      });
      // A full load: nothing of a former session stays in memory.
      location.assign(returnTo);
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
      password.current?.focus();
    }
  };
  return (
    <form onSubmit={(event) => void signIn(event)}>
      <label>
        Email
        <input name="email" type="email" autoComplete="username" required maxLength={320} />
      </label>
      <label>
        Password
        <input
          ref={password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={1024}
        />
      </label>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p>
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </p>
    </form>
  );
}
