/**
 * The connection of the REST client to one service: builds requests, sends them, and turns error answers into
 * {@link ApiError}. Knows no route; the files beside this one do.
 */
import type { RouteAnswer, RouteCall, RouteDefinition } from "../route.ts";
import { apiErrorOf } from "./api-error.ts";

/** The choices that a caller of the REST client has. */
export interface ApiClientOptions {
  /** Address of the service, e.g. https://svc.example.org; trailing slashes are ignored. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer`; without a key the browser's session cookie authenticates. */
  apiKey?: string;
  /** Sent with every request, e.g. X-Svc-Source. */
  headers?: Record<string, string>;
  /** A request that takes longer fails with the TimeoutError of AbortSignal.timeout. Default 30,000 ms. */
  timeoutMs?: number;
  /** Replaces the platform's fetch (a proxy, a recorder). */
  fetch?: typeof fetch;
}

/** Offset and length of one page of a list. */
export interface Page {
  limit?: number;
  offset?: number;
}

type QueryValue = string | number | boolean | undefined;

/** Input of a route as the client sends it: query values may be numbers or flags, and are left out when undefined. */
interface ClientInput<Route extends RouteDefinition> {
  params?: RouteCall<Route>["params"] & Record<string, string>;
  query?: { [Name in keyof RouteCall<Route>["query"]]?: QueryValue };
  body?: RouteCall<Route>["body"];
  /** ETag of the record as it was read: the change is refused with 412 when the record was changed since. Undefined: it is not. */
  ifMatch?: string | undefined;
}

/** An answer with the version of the record that it holds. */
export interface VersionedAnswer<Answer> {
  answer: Answer;
  /** For `ifMatch` of a change; undefined: the service names none. */
  etag: string | undefined;
}

/** Reads a record by its route as {@link CallRoute} does, with the record's version. */
export type ReadVersioned = <Route extends RouteDefinition & { method: "GET"; versioned: string }>(
  routePath: Route["path"],
  input?: ClientInput<Route>,
) => Promise<VersionedAnswer<RouteAnswer<Route>>>;

/**
 * Sends a request to a route of the contract and returns the body of the success. Method and path are checked against
 * the route's definition by their types only: importing the definitions themselves would load every schema into programs
 * that just call.
 */
export type CallRoute = <Route extends RouteDefinition>(
  method: Route["method"],
  routePath: Route["path"],
  input?: ClientInput<Route>,
) => Promise<RouteAnswer<Route>>;

/** Sends requests to one service. */
export class RestConnection {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
  }

  /** @see CallRoute */
  readonly call: CallRoute = async (method, routePath, input = {}) => {
    const { answer } = await this.#request<RouteAnswer<never>>(method, addressOf(routePath, input), input);
    return answer;
  };

  /** @see ReadVersioned */
  readonly readVersioned: ReadVersioned = (routePath, input = {}) =>
    this.#request("GET", addressOf(routePath, input), input);

  /**
   * Sends one request and returns the parsed body of its success, with its ETag.
   * @param where path and query, from /api on
   * @throws ApiError for an error answer
   */
  async #request<T>(
    method: string,
    where: string,
    { body, ifMatch }: Pick<ClientInput<RouteDefinition>, "body" | "ifMatch">,
  ): Promise<VersionedAnswer<T>> {
    const { baseUrl, apiKey, headers, timeoutMs = 30_000, fetch = globalThis.fetch } = this.#options;
    const response = await fetch(`${baseUrl}${where}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw apiErrorOf(response, text);
    return { answer: JSON.parse(text) as T, etag: response.headers.get("etag") ?? undefined };
  }
}

/** Returns path and query of a request. */
function addressOf(
  routePath: string,
  {
    params = {},
    query = {},
  }: { params?: Record<string, string>; query?: Partial<Record<string, QueryValue>> },
): string {
  const path = routePath.replaceAll(/:(\w+)/g, (_match, name: string) => pathPart(params[name] ?? ""));
  return path + queryText(query);
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
