/** A service in memory with the routes that a deploy uses. It stores what it is sent and validates nothing. */

type Fields = Record<string, unknown>;

/** A request as an interceptor sees it. */
export interface Request {
  route: string;
  body: Fields;
  /** Number of requests so far that change something, this one included. */
  writes: number;
}

/** The service: its fetch, and its records for a test to look at or change. */
export interface MemoryService {
  fetch: typeof fetch;
  /** Routes asked, in order. */
  routes: string[];
  checks: Fields[];
  channels: Fields[];
  patterns: Fields[];
  slos: Fields[];
  policies: Fields[];
  rotas: Fields[];
  /** Steps of the incident policy. */
  steps: Fields[];
  statusPages: Fields[];
  /** Labels by check id. */
  labels: Record<string, string[]>;
  /** Names of the projects that have a deploy baseline. */
  projects: string[];
}

const NOW = "2026-06-01T12:00:00.000Z";
const LOCATIONS = ["loc_us_east", "loc_eu_central"].map((id) => ({ id, name: id }));

/**
 * Makes a service without records.
 * @param intercept called for each request; a response that it returns replaces the service's own
 */
export function memoryService(
  intercept: (request: Request) => Response | undefined | Promise<Response | undefined> = () => undefined,
): MemoryService {
  const lists: Record<string, Fields[]> = {
    checks: [],
    alerts: [],
    patterns: [],
    slos: [],
    policies: [],
    rotas: [],
    statusPages: [],
    windows: [],
    channels: [],
  };
  const labels: Record<string, string[]> = {};
  const baselines = new Map<string, unknown>();
  const routes: string[] = [];
  let count = 0;
  let steps: Fields[] = [];
  let writes = 0;
  const made = (list: string, fields: Fields) => {
    const record = { id: `${list}_${++count}`, createdAt: NOW, updatedAt: NOW, ...fields };
    lists[list]?.push(record);
    return record;
  };
  const answer = (method: string, path: string, body: Fields): unknown => {
    const [, , kind = "", id = "", rest] = path.split("/");
    const list =
      {
        "notification-channels": "channels",
        "maintenance-windows": "windows",
        "third-party-patterns": "patterns",
        "alert-policies": "policies",
        "status-pages": "statusPages",
      }[kind] ?? kind;
    if (kind === "incident-policy") {
      if (method === "PUT") steps = body.steps as Fields[];
      const updatedAt = steps.length > 0 ? NOW : null;
      return { incidentPolicy: { teamId: "team_1", steps, updatedAt } };
    }
    if (kind === "locations") return { locations: LOCATIONS };
    if (kind === "labels") return { labels };
    if (kind === "deploy-baselines") {
      if (method === "PUT") baselines.set(decodeURIComponent(id), body.resources);
      if (method === "DELETE") baselines.delete(decodeURIComponent(id));
      return {
        baselines: [...baselines].map(([project, resources]) => ({ project, resources, updatedAt: NOW })),
        baseline: {},
      };
    }
    if (rest === "labels") {
      labels[id] = body.labels as string[];
      return { labels: labels[id] };
    }
    if (rest === "results") return { results: [{ status: "failure" }], limit: 1, offset: 0 };
    if (rest === "alerts") return { alert: made("alerts", { checkId: id, sloId: null, ...body }) };
    if (method === "GET") {
      const key = { channels: "channels", windows: "maintenanceWindows" }[list] ?? list;
      return { [key]: lists[list], limit: 200, offset: 0 };
    }
    if (method === "POST") {
      const one = {
        checks: "check",
        patterns: "pattern",
        slos: "slo",
        policies: "policy",
        rotas: "rota",
        statusPages: "statusPage",
        windows: "maintenanceWindow",
        channels: "channel",
      }[list];
      return { [one ?? "alert"]: made(list, recordOf(list, body)) };
    }
    const record = lists[list]?.find((one) => one.id === id);
    if (method === "DELETE") lists[list] = (lists[list] ?? []).filter((one) => one !== record);
    else if (record)
      Object.assign(record, list === "channels" ? recordOf(list, { ...record, ...body }) : body);
    return { success: true };
  };
  return {
    routes,
    labels,
    get steps() {
      return steps;
    },
    get rotas() {
      return lists.rotas ?? [];
    },
    get policies() {
      return lists.policies ?? [];
    },
    get statusPages() {
      return lists.statusPages ?? [];
    },
    get checks() {
      return lists.checks ?? [];
    },
    get patterns() {
      return lists.patterns ?? [];
    },
    get slos() {
      return lists.slos ?? [];
    },
    get projects() {
      return [...baselines.keys()];
    },
    get channels() {
      return lists.channels ?? [];
    },
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted();
      const { pathname } = new URL(String(input));
      const method = init?.method ?? "GET";
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : {};
      // Asked by a POST that changes nothing, and answered only where a test does.
      if (pathname === "/api/capacity/preview")
        return (
          (await intercept({ route: `${method} ${pathname}`, body, writes })) ??
          Response.json({ error: "Not found" }, { status: 404 })
        );
      routes.push(`${method} ${pathname}`);
      if (method !== "GET" && !pathname.includes("baselines")) writes++;
      const own = await intercept({ route: `${method} ${pathname}`, body, writes });
      if (!own && pathname === "/api/meta") return Response.json({ error: "Not found" }, { status: 404 });
      return own ?? Response.json(answer(method, pathname, body));
    },
  };
}

/** Converts the body of a request to the record that the service answers. */
function recordOf(list: string, body: Fields): Fields {
  if (list === "channels") {
    const { channel, ...rest } = body;
    return channel ? { ...rest, type: (channel as Fields).type, config: channel } : rest;
  }
  if (list === "slos")
    return {
      sloType: "check",
      checkId: null,
      patternId: null,
      perfThresholdMs: null,
      sliType: "availability",
      ...body,
    };
  const { httpConfig, browserConfig, mcpConfig, ...rest } = body;
  return list === "checks"
    ? { retry: null, ...rest, configJson: httpConfig ?? browserConfig ?? mcpConfig }
    : rest;
}
