/** The dashboard's entry: joins router, queries and pages. */
import "./schema-mode.ts";
import { type PageName, pages } from "@svc/contract";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Route, Switch, useLocation } from "wouter";
import { sessionQuery } from "./api/queries/session.ts";
import { RequestError, whenUnauthenticated } from "./api/request.ts";
import { Overview } from "./pages/overview/page.tsx";
import { SignIn } from "./pages/sign-in/page.tsx";
import { usePreferences } from "./preferences/preferences.ts";
import { NotFound } from "./shell/not-found.tsx";
import { PageFailure } from "./shell/page-failure.tsx";
import { WithSession } from "./shell/session.tsx";
import { Shell } from "./shell/shell.tsx";
import "./styles/tokens.css";
import "./styles/elements.css";
import "./styles/parts.css";
import "./styles/shell.css";

/** The component of each page within the shell. A page without one does not compile. */
const PAGES: Readonly<Record<Exclude<PageName, "signIn" | "wall">, ComponentType>> = {
  overview: Overview,
  checks: lazy(() => import("./pages/checks/page.tsx")),
  newCheck: lazy(() => import("./pages/check-editor/new-page.tsx")),
  editCheck: lazy(() => import("./pages/check-editor/edit-page.tsx")),
  check: lazy(() => import("./pages/check/page.tsx")),
  result: lazy(() => import("./pages/result/page.tsx")),
  run: lazy(() => import("./pages/run/page.tsx")),
  alerts: lazy(() => import("./pages/alerts/page.tsx")),
  alert: lazy(() => import("./pages/alert/page.tsx")),
  incidents: lazy(() => import("./pages/incidents/page.tsx")),
  incident: lazy(() => import("./pages/incident/page.tsx")),
  slos: lazy(() => import("./pages/slos/page.tsx")),
  slo: lazy(() => import("./pages/slo/page.tsx")),
  locations: lazy(() => import("./pages/locations/page.tsx")),
  location: lazy(() => import("./pages/location/page.tsx")),
  channels: lazy(() => import("./pages/channels/page.tsx")),
  channel: lazy(() => import("./pages/channel/page.tsx")),
  maintenance: lazy(() => import("./pages/maintenance/page.tsx")),
  deployments: lazy(() => import("./pages/deployments/page.tsx")),
  events: lazy(() => import("./pages/events/page.tsx")),
  changes: lazy(() => import("./pages/changes/page.tsx")),
  specs: lazy(() => import("./pages/specs/page.tsx")),
  spec: lazy(() => import("./pages/spec/page.tsx")),
  certificates: lazy(() => import("./pages/certificates/page.tsx")),
  keys: lazy(() => import("./pages/keys/page.tsx")),
  members: lazy(() => import("./pages/members/page.tsx")),
  telemetry: lazy(() => import("./pages/telemetry/page.tsx")),
  about: lazy(() => import("./pages/about/page.tsx")),
  profile: lazy(() => import("./pages/profile/page.tsx")),
};

/** The page without the shell around it. */
const Wall = lazy(() => import("./pages/wall/page.tsx"));

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // An answer of the API does not change by asking again; a missing one may.
      retry: (count, error) =>
        !(error instanceof RequestError && error.status >= 400 && error.status < 500) && count < 2,
      staleTime: 2_000,
    },
  },
});

whenUnauthenticated(() => void client.invalidateQueries({ queryKey: sessionQuery.queryKey }));

function Dashboard() {
  // Whatever shows a time or draws in colours is made anew when their settings change.
  const { timeZone, theme } = usePreferences();
  const [path] = useLocation();
  return (
    <Switch>
      <Route path={pages.signIn.path}>
        <SignIn />
      </Route>
      <Route path={pages.wall.path}>
        <WithSession>
          <Suspense>
            <Wall />
          </Suspense>
        </WithSession>
      </Route>
      <Route>
        <WithSession>
          <Shell>
            <Suspense
              key={`${timeZone} ${theme}`}
              fallback={
                <p className="loading" aria-busy="true">
                  Loading …
                </p>
              }
            >
              <PageFailure path={path}>
                <Switch>
                  {(Object.keys(PAGES) as (keyof typeof PAGES)[]).map((name) => (
                    <Route key={name} path={pages[name].path} component={PAGES[name]} />
                  ))}
                  <Route>
                    <NotFound title="Page not found" />
                  </Route>
                </Switch>
              </PageFailure>
            </Suspense>
          </Shell>
        </WithSession>
      </Route>
    </Switch>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <QueryClientProvider client={client}>
    <Dashboard />
  </QueryClientProvider>,
);
