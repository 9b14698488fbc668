/** The dashboard's entry: joins router, queries and pages. */
import "./schema-mode.ts";
import { type PageName, pageAt, pages } from "@svc/contract";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense, useState } from "react";
import { createRoot } from "react-dom/client";
import { Route, Switch, useLocation } from "wouter";
import { overviewQuery } from "./api/queries/overview.ts";
import { displayQuery, sessionQuery } from "./api/queries/session.ts";
import { summaryQuery } from "./api/queries/summary.ts";
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

type LoadPage = () => Promise<{ default: ComponentType }>;

/** Loads each page within the shell but the first, which comes with this file. A page without an entry does not compile. */
const LOADERS: Readonly<Record<Exclude<PageName, "signIn" | "wall" | "openDisplay" | "overview">, LoadPage>> =
  {
    checks: () => import("./pages/checks/page.tsx"),
    newCheck: () => import("./pages/check-editor/new-page.tsx"),
    editCheck: () => import("./pages/check-editor/edit-page.tsx"),
    exportProject: () => import("./pages/export-project/page.tsx"),
    check: () => import("./pages/check/page.tsx"),
    result: () => import("./pages/result/page.tsx"),
    run: () => import("./pages/run/page.tsx"),
    alerts: () => import("./pages/alerts/page.tsx"),
    alert: () => import("./pages/alert/page.tsx"),
    incidents: () => import("./pages/incidents/page.tsx"),
    incidentPolicy: () => import("./pages/incident-policy/page.tsx"),
    incident: () => import("./pages/incident/page.tsx"),
    rules: () => import("./pages/rules/page.tsx"),
    newRule: () => import("./pages/rule-editor/new-page.tsx"),
    newPolicy: () => import("./pages/policy-editor/new-page.tsx"),
    policy: () => import("./pages/policy-editor/edit-page.tsx"),
    rule: () => import("./pages/rule-editor/edit-page.tsx"),
    slos: () => import("./pages/slos/page.tsx"),
    newSlo: () => import("./pages/slo-editor/new-page.tsx"),
    slo: () => import("./pages/slo/page.tsx"),
    editSlo: () => import("./pages/slo-editor/edit-page.tsx"),
    reports: () => import("./pages/reports/page.tsx"),
    reportRecipients: () => import("./pages/report-recipients/page.tsx"),
    report: () => import("./pages/report/page.tsx"),
    locations: () => import("./pages/locations/page.tsx"),
    newLocation: () => import("./pages/location-editor/new-page.tsx"),
    editLocation: () => import("./pages/location-editor/edit-page.tsx"),
    location: () => import("./pages/location/page.tsx"),
    channels: () => import("./pages/channels/page.tsx"),
    newChannel: () => import("./pages/channel-editor/new-page.tsx"),
    channel: () => import("./pages/channel/page.tsx"),
    editChannel: () => import("./pages/channel-editor/edit-page.tsx"),
    rotas: () => import("./pages/rotas/page.tsx"),
    newRota: () => import("./pages/rota-editor/new-page.tsx"),
    rota: () => import("./pages/rota-editor/edit-page.tsx"),
    maintenance: () => import("./pages/maintenance/page.tsx"),
    newWindow: () => import("./pages/window-editor/new-page.tsx"),
    editWindow: () => import("./pages/window-editor/edit-page.tsx"),
    statusPages: () => import("./pages/status-pages/page.tsx"),
    newStatusPage: () => import("./pages/status-page-editor/new-page.tsx"),
    statusPage: () => import("./pages/status-page-editor/edit-page.tsx"),
    newNotice: () => import("./pages/status-notice/new-page.tsx"),
    notice: () => import("./pages/status-notice/page.tsx"),
    projects: () => import("./pages/projects/page.tsx"),
    plan: () => import("./pages/plan/page.tsx"),
    deployments: () => import("./pages/deployments/page.tsx"),
    events: () => import("./pages/events/page.tsx"),
    changes: () => import("./pages/changes/page.tsx"),
    specs: () => import("./pages/specs/page.tsx"),
    newSpec: () => import("./pages/spec-editor/new-page.tsx"),
    spec: () => import("./pages/spec/page.tsx"),
    certificates: () => import("./pages/certificates/page.tsx"),
    keys: () => import("./pages/keys/page.tsx"),
    members: () => import("./pages/members/page.tsx"),
    telemetry: () => import("./pages/telemetry/page.tsx"),
    generateChecks: () => import("./pages/spec-editor/generate-page.tsx"),
    displays: () => import("./pages/displays/page.tsx"),
    secrets: () => import("./pages/secrets/page.tsx"),
    newSecret: () => import("./pages/secret-editor/new-page.tsx"),
    secret: () => import("./pages/secret-editor/edit-page.tsx"),
    editTelemetry: () => import("./pages/telemetry-editor/page.tsx"),
    about: () => import("./pages/about/page.tsx"),
    profile: () => import("./pages/profile/page.tsx"),
  };

/** Pages that were loaded before they were opened. */
const loaded = new Map<string, ComponentType>();

/** Loads a page before it is opened. Doing it again does nothing. */
function preload(page: string | undefined): void {
  if (page === undefined || !Object.hasOwn(LOADERS, page) || loaded.has(page)) return;
  LOADERS[page as keyof typeof LOADERS]().then(
    (module) => loaded.set(page, module.default),
    () => undefined,
  );
}

// The page that the address names is loaded while the session is asked for.
const opened = pageAt(location.pathname) ?? "overview";
preload(opened);

// So is a page whose link the pointer or the focus reaches: it is there when somebody follows the link.
for (const reached of ["pointerover", "focusin"])
  document.addEventListener(
    reached,
    ({ target }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link && link.origin === location.origin) preload(pageAt(link.pathname));
    },
    { passive: true },
  );

/** Returns the component of a page: that which is loaded, without a wait, or one that loads it first. */
function pageOf(name: string, load: LoadPage): ComponentType {
  const Lazy = lazy(load);
  return function OpenedPage() {
    const [Opened] = useState<ComponentType>(() => loaded.get(name) ?? Lazy);
    return <Opened />;
  };
}

/** The component of each page within the shell. */
const PAGES: Readonly<Record<string, ComponentType>> = {
  overview: Overview,
  ...Object.fromEntries(Object.entries(LOADERS).map(([name, load]) => [name, pageOf(name, load)])),
};

/** The pages without the shell around them. */
const Wall = lazy(() => import("./pages/wall/page.tsx"));
const OpenDisplay = lazy(() => import("./pages/wall/open-page.tsx"));

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

whenUnauthenticated(() => {
  for (const { queryKey } of [sessionQuery, displayQuery]) void client.invalidateQueries({ queryKey });
});
// So is what the busiest pages show: who has a session sees it one round trip earlier.
if (opened === "checks") void client.prefetchQuery(summaryQuery);
if (opened === "overview") void client.prefetchQuery(overviewQuery);

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
        <Suspense>
          <Wall />
        </Suspense>
      </Route>
      <Route path={pages.openDisplay.path}>
        <Suspense>
          <OpenDisplay />
        </Suspense>
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
                  {Object.entries(PAGES).map(([name, page]) => (
                    <Route key={name} path={pages[name as PageName].path} component={page} />
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
