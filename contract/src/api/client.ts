/**
 * The typed REST client: one method per route, nothing else between the caller and the wire. Bodies go out as they are
 * given (the service validates them), answers come back as the contract types them. Works in browsers and in Node.
 */

import type * as z from "zod";
import type { ErrorEnvelope } from "../base/errors.ts";
import type { DeployBaseline, DeployedResource } from "../config/deploy-baseline.ts";
import type {
  AlertInstance,
  AlertInstanceEvent,
  AlertInstanceSummary,
  AlertState,
} from "../resources/alert-instance.ts";
import type { AlertRule, createAlertRuleSchema, UpdateAlertRule } from "../resources/alert-rule.ts";
import type { Analysis, LastAnalysis } from "../resources/analysis.ts";
import type { ApiKey, ApiKeySource, CreatedApiKey } from "../resources/api-key.ts";
import type { Change, ChangeSource, ChangeType } from "../resources/change.ts";
import type { Channel, CreateChannel, Delivery, TestChannel, UpdateChannel } from "../resources/channel.ts";
import type { Check, createCheckSchema, UpdateCheck } from "../resources/check.ts";
import type { CheckHealth } from "../resources/check-health.ts";
import type { COVERAGE_RANGES, Coverage } from "../resources/coverage.ts";
import type { DeviceCode } from "../resources/device-login.ts";
import type { Incident, IncidentEvent, IncidentState } from "../resources/incident.ts";
import type { CreateLocation, Location, Runner, RunnerKey, UpdateLocation } from "../resources/location.ts";
import type {
  createMaintenanceWindowSchema,
  MaintenanceWindow,
  UpdateMaintenanceWindow,
} from "../resources/maintenance-window.ts";
import type { Result } from "../resources/result.ts";
import type { createSloSchema, Slo, SloStatus, UpdateSlo } from "../resources/slo.ts";
import type {
  createSpecSchema,
  GeneratedChecks,
  generateBySpecSchema,
  Spec,
  SpecOperationRecord,
  updateSpecSchema,
} from "../resources/spec.ts";
import type { alertInstanceRoutes } from "./alert-instances.ts";
import type { alertRuleRoutes } from "./alert-rules.ts";
import type { checkRoutes } from "./checks.ts";
import type { RouteAnswer, RouteCall, RouteDefinition } from "./route.ts";
import type { sloRoutes } from "./slos.ts";

/** A check to create, as a caller writes it: what has a default may be left out. */
export type NewCheck = z.input<typeof createCheckSchema>;

/** An alert rule, an SLO and a maintenance window to create, likewise. */
export type NewAlertRule = z.input<typeof createAlertRuleSchema>;
export type NewSlo = z.input<typeof createSloSchema>;
export type NewMaintenanceWindow = z.input<typeof createMaintenanceWindowSchema>;

/** An API spec to store, a change of one, and checks to generate from one, as a caller writes them. */
export type NewSpec = z.input<typeof createSpecSchema>;
export type SpecChange = z.input<typeof updateSpecSchema>;
export type NewGeneration = z.input<typeof generateBySpecSchema>;

/** An answer that is not a success. `envelope` is the body when it is one of the service's error bodies. */
export class ApiError extends Error {
  readonly status: number;
  readonly envelope: ErrorEnvelope | undefined;
  /** From Retry-After, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, envelope: ErrorEnvelope | undefined, retryAfterSeconds?: number) {
    super(envelope?.error ?? `The service answered ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.envelope = envelope;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface ApiClientOptions {
  /** Where the service is, e.g. https://svc.example.org; a trailing slash is ignored. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer`; without one the browser's session cookie authenticates. */
  apiKey?: string;
  /** Sent with every request, e.g. X-Svc-Source. */
  headers?: Record<string, string>;
  /** A request that takes longer fails with the TimeoutError of AbortSignal.timeout. Default 30,000 ms. */
  timeoutMs?: number;
  /** Replaces the platform's fetch (a proxy, a recorder). */
  fetch?: typeof fetch;
}

/** Where in a list to begin and how much to take. */
export interface Page {
  limit?: number;
  offset?: number;
}

type CheckRoutes = typeof checkRoutes;
type AlertRuleRoutes = typeof alertRuleRoutes;
type AlertInstanceRoutes = typeof alertInstanceRoutes;
type SloRoutes = typeof sloRoutes;

/** Input of a route as the client sends it: query values may be numbers or flags, and are left out when undefined. */
interface ClientInput<Route extends RouteDefinition> {
  params?: RouteCall<Route>["params"] & Record<string, string>;
  query?: { [Name in keyof RouteCall<Route>["query"]]?: QueryValue };
  body?: RouteCall<Route>["body"];
}

type QueryValue = string | number | boolean | undefined;

/** Each method throws {@link ApiError} for an error answer, and what fetch throws when there is no answer. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
  }

  async listChecks(): Promise<Check[]> {
    return (await this.#call<CheckRoutes["list"]>("GET", "/api/checks")).checks;
  }
  /** How the checks stand, in the order of their list. */
  async listCheckHealth(options: Page = {}): Promise<CheckHealth[]> {
    const where = `/api/checks/health${queryText({ ...options })}`;
    return (await this.request<{ checks: CheckHealth[] }>("GET", where)).checks;
  }
  async createCheck(check: NewCheck): Promise<Check> {
    return (await this.#call<CheckRoutes["create"]>("POST", "/api/checks", { body: check })).check;
  }
  /** The check and its 50 newest results. */
  getCheck(id: string): Promise<{ check: Check; results: Result[] }> {
    return this.#call<CheckRoutes["get"]>("GET", "/api/checks/:id", { params: { id } });
  }
  async updateCheck(id: string, change: UpdateCheck): Promise<Check> {
    const input = { params: { id }, body: change };
    return (await this.#call<CheckRoutes["update"]>("PUT", "/api/checks/:id", input)).check;
  }
  deleteCheck(id: string): Promise<{ success: true }> {
    return this.#call<CheckRoutes["delete"]>("DELETE", "/api/checks/:id", { params: { id } });
  }
  /** Runs the check now, in each of its locations. */
  triggerCheck(id: string): Promise<{ triggered: true; locations: number }> {
    return this.#call<CheckRoutes["trigger"]>("POST", "/api/checks/:id/trigger", { params: { id } });
  }
  /** Newest first. `detail` adds assertions, evidence, attempts and what the check's type has besides. */
  listResults(
    checkId: string,
    options: Page & { detail?: boolean } = {},
  ): Promise<{ results: Result[]; limit: number; offset: number }> {
    return this.request("GET", path`/api/checks/${checkId}/results` + queryText({ ...options }));
  }
  async getResult(checkId: string, resultId: string): Promise<Result> {
    return (await this.request<{ result: Result }>("GET", path`/api/checks/${checkId}/results/${resultId}`))
      .result;
  }
  /** @param range how far back; default 24h */
  getCoverage(checkId: string, range?: keyof typeof COVERAGE_RANGES): Promise<Coverage> {
    return this.request("GET", path`/api/checks/${checkId}/coverage` + queryText({ range }));
  }

  /** The labels of all checks that have any, by the checks' ids. */
  async listLabels(): Promise<Record<string, string[]>> {
    return (await this.request<{ labels: Record<string, string[]> }>("GET", "/api/labels")).labels;
  }
  setLabels(checkId: string, labels: readonly string[]): Promise<{ labels: string[] }> {
    return this.request("PUT", path`/api/checks/${checkId}/labels`, { labels });
  }

  /** The alert rules that people wrote, of all checks. */
  async listAlertRules(): Promise<Omit<AlertRule, "channels">[]> {
    return (await this.#call<AlertRuleRoutes["listOfTeam"]>("GET", "/api/alerts")).alerts;
  }
  createAlertRule(checkId: string, rule: NewAlertRule): Promise<{ id: string }> {
    const input = { params: { id: checkId }, body: rule };
    return this.#call<AlertRuleRoutes["create"]>("POST", "/api/checks/:id/alerts", input);
  }
  updateAlertRule(alertId: string, change: UpdateAlertRule): Promise<{ success: true }> {
    const input = { params: { alertId }, body: change };
    return this.#call<AlertRuleRoutes["update"]>("PUT", "/api/alerts/:alertId", input);
  }
  deleteAlertRule(alertId: string): Promise<{ success: true }> {
    return this.#call<AlertRuleRoutes["delete"]>("DELETE", "/api/alerts/:alertId", { params: { alertId } });
  }

  /** Newest first. */
  listAlertInstances(
    options: Page & { state?: readonly AlertState[]; checkId?: string } = {},
  ): Promise<{ instances: AlertInstanceSummary[]; limit: number; offset: number }> {
    const query = { ...options, state: options.state?.join(",") };
    return this.#call<AlertInstanceRoutes["list"]>("GET", "/api/alerts/instances", { query });
  }
  getAlertInstance(id: string): Promise<{ instance: AlertInstance; events: AlertInstanceEvent[] }> {
    return this.#call<AlertInstanceRoutes["get"]>("GET", "/api/alerts/instances/:id", { params: { id } });
  }
  /** 409 when it is not active. */
  acknowledgeAlertInstance(id: string): Promise<{ success: true; state: "acknowledged" }> {
    return this.#call<AlertInstanceRoutes["acknowledge"]>("POST", "/api/alerts/instances/:id/acknowledge", {
      params: { id },
    });
  }
  /** This and the next two: 409 when it is over. */
  resolveAlertInstance(id: string): Promise<{ success: true; state: "resolved"; durationMs: number }> {
    return this.#call<AlertInstanceRoutes["resolve"]>("POST", "/api/alerts/instances/:id/resolve", {
      params: { id },
    });
  }
  /** @param mute `until` in ISO 8601; without it until it is unmuted */
  muteAlertInstance(id: string, mute: { until?: string } = {}): Promise<{ success: true }> {
    const input = { params: { id }, body: mute };
    return this.#call<AlertInstanceRoutes["mute"]>("POST", "/api/alerts/instances/:id/mute", input);
  }
  unmuteAlertInstance(id: string): Promise<{ success: true }> {
    return this.#call<AlertInstanceRoutes["unmute"]>("POST", "/api/alerts/instances/:id/unmute", {
      params: { id },
    });
  }

  /** Newest first. */
  listIncidents(
    options: Page & { state?: readonly IncidentState[] } = {},
  ): Promise<{ incidents: Incident[]; limit: number; offset: number }> {
    const state = options.state?.join(",");
    return this.request("GET", `/api/incidents${queryText({ ...options, state })}`);
  }
  getIncident(
    incidentId: string,
  ): Promise<{ incident: Incident; events: IncidentEvent[]; alerts: AlertInstanceSummary[] }> {
    return this.request("GET", path`/api/incidents/${incidentId}`);
  }

  async listChannels(): Promise<Channel[]> {
    return (await this.request<{ channels: Channel[] }>("GET", "/api/notification-channels")).channels;
  }
  async createChannel(channel: CreateChannel): Promise<{ id: string }> {
    return (await this.request<{ channel: { id: string } }>("POST", "/api/notification-channels", channel))
      .channel;
  }
  updateChannel(channelId: string, change: UpdateChannel): Promise<{ success: true }> {
    return this.request("PUT", path`/api/notification-channels/${channelId}`, change);
  }
  deleteChannel(channelId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/notification-channels/${channelId}`);
  }

  /** Newest first. */
  listDeliveries(
    channelId: string,
    options: Page = {},
  ): Promise<{ deliveries: Delivery[]; limit: number; offset: number }> {
    const where = path`/api/notification-channels/${channelId}/deliveries`;
    return this.request("GET", where + queryText({ ...options }));
  }
  /** Sends a test notification and waits for its outcome; at most once in 60 seconds. */
  testChannel(channelId: string, test: TestChannel = {}): Promise<{ success: boolean; delivery: Delivery }> {
    return this.request("POST", path`/api/notification-channels/${channelId}/test`, test);
  }
  /** Makes one more attempt and waits for its outcome. */
  redeliver(channelId: string, deliveryId: string): Promise<{ success: boolean; delivery: Delivery }> {
    const where = path`/api/notification-channels/${channelId}/deliveries/${deliveryId}/redeliver`;
    return this.request("POST", where);
  }

  listSlos(options: Page = {}): Promise<{ slos: Slo[]; limit: number; offset: number }> {
    return this.#call<SloRoutes["list"]>("GET", "/api/slos", { query: { ...options } });
  }
  async createSlo(slo: NewSlo): Promise<Slo> {
    return (await this.#call<SloRoutes["create"]>("POST", "/api/slos", { body: slo })).slo;
  }
  async updateSlo(id: string, change: UpdateSlo): Promise<Slo> {
    return (await this.#call<SloRoutes["update"]>("PUT", "/api/slos/:id", { params: { id }, body: change }))
      .slo;
  }
  async getSloStatus(id: string): Promise<SloStatus> {
    return (await this.#call<SloRoutes["getStatus"]>("GET", "/api/slos/:id/status", { params: { id } }))
      .state;
  }
  deleteSlo(id: string): Promise<{ success: true }> {
    return this.#call<SloRoutes["delete"]>("DELETE", "/api/slos/:id", { params: { id } });
  }

  async listMaintenanceWindows(): Promise<MaintenanceWindow[]> {
    const answer = await this.request<{ maintenanceWindows: MaintenanceWindow[] }>(
      "GET",
      "/api/maintenance-windows",
    );
    return answer.maintenanceWindows;
  }
  async createMaintenanceWindow(window: NewMaintenanceWindow): Promise<MaintenanceWindow> {
    const answer = await this.request<{ maintenanceWindow: MaintenanceWindow }>(
      "POST",
      "/api/maintenance-windows",
      window,
    );
    return answer.maintenanceWindow;
  }
  async updateMaintenanceWindow(
    windowId: string,
    change: UpdateMaintenanceWindow,
  ): Promise<MaintenanceWindow> {
    const where = path`/api/maintenance-windows/${windowId}`;
    return (await this.request<{ maintenanceWindow: MaintenanceWindow }>("PUT", where, change))
      .maintenanceWindow;
  }
  deleteMaintenanceWindow(windowId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/maintenance-windows/${windowId}`);
  }

  /** What the command line deployed last, of every project. */
  async listDeployBaselines(): Promise<DeployBaseline[]> {
    return (await this.request<{ baselines: DeployBaseline[] }>("GET", "/api/deploy-baselines")).baselines;
  }
  putDeployBaseline(project: string, resources: readonly DeployedResource[]): Promise<unknown> {
    return this.request("PUT", path`/api/deploy-baselines/${project}`, { resources });
  }

  /** Who changed what, newest first. */
  listChanges(
    options: Page & { type?: ChangeType; name?: string; source?: ChangeSource } = {},
  ): Promise<{ changes: Change[]; limit: number; offset: number }> {
    return this.request("GET", `/api/changes${queryText({ ...options })}`);
  }

  async listLocations(options: { includeDeprecated?: boolean } = {}): Promise<Location[]> {
    const query = queryText({ include_deprecated: options.includeDeprecated || undefined });
    return (await this.request<{ locations: Location[] }>("GET", `/api/locations${query}`)).locations;
  }
  async createLocation(location: CreateLocation): Promise<Location> {
    return (await this.request<{ location: Location }>("POST", "/api/locations", location)).location;
  }
  async updateLocation(locationId: string, change: UpdateLocation): Promise<Location> {
    const answer = await this.request<{ location: Location }>(
      "PUT",
      path`/api/locations/${locationId}`,
      change,
    );
    return answer.location;
  }
  deleteLocation(locationId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/locations/${locationId}`);
  }
  async listRunners(locationId: string): Promise<Runner[]> {
    return (await this.request<{ runners: Runner[] }>("GET", path`/api/locations/${locationId}/runners`))
      .runners;
  }
  /** The answer's `secret` is shown this once. */
  async createRunnerKey(
    locationId: string,
    key: { name?: string } = {},
  ): Promise<RunnerKey & { secret: string }> {
    const where = path`/api/locations/${locationId}/keys`;
    return (await this.request<{ key: RunnerKey & { secret: string } }>("POST", where, key)).key;
  }
  async listRunnerKeys(locationId: string): Promise<RunnerKey[]> {
    return (await this.request<{ keys: RunnerKey[] }>("GET", path`/api/locations/${locationId}/keys`)).keys;
  }
  deleteRunnerKey(locationId: string, keyId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/locations/${locationId}/keys/${keyId}`);
  }

  async listSpecs(): Promise<Spec[]> {
    return (await this.request<{ specs: Spec[] }>("GET", "/api/specs")).specs;
  }
  async createSpec(spec: NewSpec): Promise<Spec> {
    return (await this.request<{ spec: Spec }>("POST", "/api/specs", spec)).spec;
  }
  getSpec(specId: string): Promise<{ spec: Spec; operations: SpecOperationRecord[] }> {
    return this.request("GET", path`/api/specs/${specId}`);
  }
  /** Without a change the document of a spec with a URL is fetched again. */
  async updateSpec(specId: string, change: SpecChange = {}): Promise<Spec> {
    return (await this.request<{ spec: Spec }>("PUT", path`/api/specs/${specId}`, change)).spec;
  }
  deleteSpec(specId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/specs/${specId}`);
  }
  /** A check for each operation that has none; more than 50 need `confirm`, else the answer is a 409. */
  generateChecks(generation: NewGeneration): Promise<GeneratedChecks> {
    return this.request("POST", "/api/checks/generate", generation);
  }

  /** Session only, like the other methods about API keys. The answer's `secret` is shown this once. */
  async createApiKey(key: { name?: string; source?: ApiKeySource } = {}): Promise<CreatedApiKey> {
    return (await this.request<{ key: CreatedApiKey }>("POST", "/api/api-keys", key)).key;
  }
  async listApiKeys(): Promise<ApiKey[]> {
    return (await this.request<{ keys: ApiKey[] }>("GET", "/api/api-keys")).keys;
  }
  deleteApiKey(apiKeyId: string): Promise<{ success: true }> {
    return this.request("DELETE", path`/api/api-keys/${apiKeyId}`);
  }
  /** Revokes the key that this client uses. */
  revokeOwnApiKey(): Promise<{ revoked: true; alreadyRevoked?: true }> {
    return this.request("DELETE", "/api/api-keys/self");
  }

  /** Analyses the check's stored evidence; each call counts against the limits (429 beyond them). */
  analyzeCheck(checkId: string): Promise<Analysis> {
    return this.request("POST", path`/api/checks/${checkId}/analyze`);
  }
  /** The insight of the last analysis; counts for nothing. */
  getAnalysis(checkId: string): Promise<LastAnalysis> {
    return this.request("GET", path`/api/checks/${checkId}/analysis`);
  }

  /** Starts a sign-in of the command line. @param clientName what the key will be called */
  requestDeviceCode(clientName: string): Promise<DeviceCode> {
    return this.request("POST", "/api/cli/device-codes", { clientName });
  }
  /** The key, once, when somebody authorized the code; undefined while nobody has decided. */
  async pollDeviceCode(deviceCode: string): Promise<CreatedApiKey | undefined> {
    return (await this.request<{ key?: CreatedApiKey }>("POST", "/api/cli/device-codes/poll", { deviceCode }))
      .key;
  }

  /**
   * Sends a request to a route of the contract. Method and path are checked against the route's definition by their types
   * only: importing the definitions themselves would load every schema into programs that just call.
   */
  async #call<Route extends RouteDefinition>(
    method: Route["method"],
    routePath: Route["path"],
    input: ClientInput<Route> = {},
  ): Promise<RouteAnswer<Route>> {
    const { query = {}, body } = input;
    const params: Record<string, string> = input.params ?? {};
    const where = routePath.replaceAll(/:(\w+)/g, (_match, name: string) => pathPart(params[name] ?? ""));
    return this.request(method, where + queryText(query), body);
  }

  /**
   * Sends one request to any route, for routes that have no method here.
   * @param where path and query, from /api on
   */
  async request<T>(method: string, where: string, body?: unknown): Promise<T> {
    const { baseUrl, apiKey, headers, timeoutMs = 30_000, fetch = globalThis.fetch } = this.#options;
    const response = await fetch(`${baseUrl}${where}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw apiErrorOf(response, text);
    return JSON.parse(text) as T;
  }
}

function apiErrorOf(response: Response, text: string): ApiError {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(
    response.status,
    parseEnvelope(text),
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

/** The error body, or undefined when a proxy or another server answered in our place. */
function parseEnvelope(text: string): ErrorEnvelope | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isEnvelope =
      typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
    return isEnvelope ? (body as ErrorEnvelope) : undefined;
  } catch {
    return undefined;
  }
}

/** A path whose inserted parts are encoded. @throws RangeError for a part that would make it another path */
function path(fixed: TemplateStringsArray, ...parts: string[]): string {
  return fixed.map((text, i) => text + (i < parts.length ? pathPart(parts[i] ?? "") : "")).join("");
}

/**
 * Returns the text as one part of a path.
 * @throws RangeError for a text that would make it another path
 */
function pathPart(text: string): string {
  // URL parsers resolve dot segments, also when they come percent-encoded.
  if (text === "" || text === "." || text === "..") throw new RangeError(`not an id: "${text}"`);
  return encodeURIComponent(text);
}

function queryText(values: Partial<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values))
    if (value !== undefined && value !== false) query.set(key, String(value));
  return query.size > 0 ? `?${query}` : "";
}
