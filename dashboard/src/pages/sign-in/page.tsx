/** The sign-in page: by password, or at the identity provider. */
import { isPagePath, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "wouter";
import { signInOptionsQuery } from "../../api/queries/session.ts";
import { PasswordForm } from "../../shell/password-form.tsx";
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
              {password && (
                // A full load: nothing of a former session stays in memory.
                <PasswordForm onSignedIn={() => location.assign(returnTo)} />
              )}
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
