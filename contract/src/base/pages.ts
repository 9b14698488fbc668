/**
 * Every page of the dashboard. The service answers these paths, notifications link to them, and the dashboard's router and
 * navigation are made of them, so that a link can't lead to a page that does not exist. This file imports nothing: the dashboard loads it.
 */

/** A page of the dashboard. */
export interface Page {
  /** Path with its parameters as `:name`. */
  readonly path: string;
  /** Name of the page in its heading, in the navigation and in the document's title. */
  readonly title: string;
}

/** The pages by name. Pages with a parameter are titled by their record; `title` stands until it is loaded. */
export const pages = {
  overview: { path: "/", title: "Overview" },
  signIn: { path: "/sign-in", title: "Sign in" },
  wall: { path: "/wall", title: "Wall" },
  openDisplay: { path: "/wall/open", title: "Opening the wall" },
  checks: { path: "/checks", title: "Checks" },
  newCheck: { path: "/checks/new", title: "New check" },
  exportProject: { path: "/checks/export", title: "Export project" },
  check: { path: "/checks/:id", title: "Check" },
  editCheck: { path: "/checks/:id/edit", title: "Edit check" },
  result: { path: "/checks/:id/results/:resultId", title: "Result" },
  run: { path: "/checks/:id/runs/:runId", title: "Run" },
  alerts: { path: "/alerts", title: "Alerts" },
  alert: { path: "/alerts/:id", title: "Alert" },
  rules: { path: "/rules", title: "Alert rules" },
  newRule: { path: "/rules/new", title: "New alert rule" },
  newPolicy: { path: "/rules/policies/new", title: "New alert policy" },
  policy: { path: "/rules/policies/:id", title: "Alert policy" },
  rule: { path: "/rules/:id", title: "Alert rule" },
  incidents: { path: "/incidents", title: "Incidents" },
  incidentPolicy: { path: "/incidents/policy", title: "Incident policy" },
  incident: { path: "/incidents/:id", title: "Incident" },
  slos: { path: "/slos", title: "SLOs" },
  newSlo: { path: "/slos/new", title: "New SLO" },
  slo: { path: "/slos/:id", title: "SLO" },
  editSlo: { path: "/slos/:id/edit", title: "Edit SLO" },
  reports: { path: "/reports", title: "Reports" },
  reportRecipients: { path: "/reports/recipients", title: "Recipients of reports" },
  report: { path: "/reports/:month", title: "Report" },
  locations: { path: "/locations", title: "Locations" },
  newLocation: { path: "/locations/new", title: "New private location" },
  location: { path: "/locations/:id", title: "Location" },
  editLocation: { path: "/locations/:id/edit", title: "Edit private location" },
  channels: { path: "/channels", title: "Channels" },
  newChannel: { path: "/channels/new", title: "New channel" },
  channel: { path: "/channels/:id", title: "Channel" },
  editChannel: { path: "/channels/:id/edit", title: "Edit channel" },
  rotas: { path: "/rotas", title: "Rotas" },
  newRota: { path: "/rotas/new", title: "New rota" },
  rota: { path: "/rotas/:id", title: "Rota" },
  maintenance: { path: "/maintenance", title: "Maintenance" },
  newWindow: { path: "/maintenance/new", title: "New maintenance window" },
  editWindow: { path: "/maintenance/:id", title: "Maintenance window" },
  statusPages: { path: "/status-pages", title: "Status pages" },
  newStatusPage: { path: "/status-pages/new", title: "New status page" },
  statusPage: { path: "/status-pages/:id", title: "Status page" },
  newNotice: { path: "/status-pages/:id/notices/new", title: "New notice" },
  notice: { path: "/status-pages/:id/notices/:noticeId", title: "Notice" },
  deployments: { path: "/deployments", title: "Deployments" },
  events: { path: "/events", title: "Events" },
  projects: { path: "/projects", title: "Projects" },
  plan: { path: "/plans/:id", title: "Deploy plan" },
  changes: { path: "/changes", title: "Changes" },
  specs: { path: "/specs", title: "API specs" },
  newSpec: { path: "/specs/new", title: "New API spec" },
  spec: { path: "/specs/:id", title: "API spec" },
  generateChecks: { path: "/specs/:id/generate", title: "Generate checks" },
  certificates: { path: "/certificates", title: "Certificates" },
  keys: { path: "/settings/keys", title: "API keys" },
  displays: { path: "/settings/displays", title: "Displays" },
  secrets: { path: "/settings/secrets", title: "Team secrets" },
  newSecret: { path: "/settings/secrets/new", title: "New secret" },
  secret: { path: "/settings/secrets/:id", title: "Secret" },
  members: { path: "/settings/members", title: "Members" },
  telemetry: { path: "/settings/telemetry", title: "Telemetry" },
  editTelemetry: { path: "/settings/telemetry/edit", title: "Set up telemetry" },
  about: { path: "/settings/about", title: "About" },
  profile: { path: "/settings/profile", title: "Your account" },
} as const satisfies Record<string, Page>;

/** Name of a page. */
export type PageName = keyof typeof pages;

/** Names of the parameters in a path. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Values of a page's parameters; an empty object for a page that has none. */
export type PageParameters<Name extends PageName> = Record<
  ParametersOf<(typeof pages)[Name]["path"]>,
  string
>;

/** Returns the path of a page, with the values of its parameters escaped. */
export function pagePath<Name extends PageName>(name: Name, parameters: PageParameters<Name>): string {
  const values: Record<string, string> = parameters;
  return pages[name].path.replaceAll(/:(\w+)/g, (_match, parameter: string) =>
    encodeURIComponent(values[parameter] ?? ""),
  );
}

/** Returns the name of the page at a path, without query; undefined when there is none. */
export function pageAt(path: string): PageName | undefined {
  const parts = path.split("/");
  return (Object.keys(pages) as PageName[]).find((name) => {
    const pattern = pages[name].path.split("/");
    return (
      pattern.length === parts.length &&
      pattern.every((part, i) => (part.startsWith(":") ? parts[i] !== "" : part === parts[i]))
    );
  });
}

/**
 * True for a path of our own, with or without query, that a sign-in may lead back to. Others, such as another site's address
 * or a path of the API, are refused.
 */
export function isPagePath(path: string): boolean {
  return /^[!-~]+$/.test(path) && pageAt(path.split("?", 1)[0] as string) !== undefined;
}
