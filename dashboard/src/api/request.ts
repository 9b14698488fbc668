/** Requests to the REST API, typed by its route table. The only file that calls `fetch`. */
import { type ErrorEnvelope, problemsOf, type RouteDefinition } from "@svc/contract";
import { createParser } from "eventsource-parser";
import type * as z from "zod";
import { noteRead } from "./request-log.ts";

/** Longest that a request may take. */
const TIMEOUT_MS = 30_000;

/** Value of a schema as JSON carries it. */
type Wire<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** Body of a route's success as JSON carries it: instants are texts. */
export type Answer<Route extends RouteDefinition> = Wire<Route["answer"]>;

/** Path parameters, query and body of a request; those that the route lacks are left out. */
export interface RequestParts<Route extends RouteDefinition> {
  params?: Wire<Route["params"]>;
  query?: Partial<Record<keyof Wire<Route["query"]>, string | number>>;
  body?: Wire<Route["body"]>;
  /** ETag of the record as it was read: the change is refused with 412 when the record was changed since. */
  ifMatch?: string | undefined;
}

/** An answer that is no success: the API's own sentence, and what it says of fields. */
export class RequestError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly details: readonly string[];
  /** The API's name for a refusal that pages tell from others; undefined for most. */
  readonly code: string | undefined;
  /** Seconds after which another try makes sense; undefined: the API names none. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    {
      details = [],
      code,
      retryAfterSeconds,
    }: { details?: readonly string[]; code?: string | undefined; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.details = details;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** True for the answer to a request without a person's session: there is none, or the browser is a screen with a display link. */
export function isWithoutSession(error: unknown): boolean {
  return error instanceof RequestError && (error.status === 401 || error.code === "display_only");
}

let onUnauthenticated = (): void => undefined;

/** Sets what happens when an answer says that the session is over. */
export function whenUnauthenticated(listener: () => void): void {
  onUnauthenticated = listener;
}

/**
 * Calls a route by the session's cookie and returns its answer.
 * @throws RequestError when the answer is no success, or none came within 30 s
 */
export async function request<Route extends RouteDefinition>(
  method: Route["method"],
  path: Route["path"],
  parts: RequestParts<Route> = {},
): Promise<Answer<Route>> {
  return (await requestRecord<Route>(method, path, parts)).answer;
}

/** Does the work of {@link request}, and returns the ETag of the answered record, too, if it has one. */
export async function requestRecord<Route extends RouteDefinition>(
  method: Route["method"],
  path: Route["path"],
  { params, query, body, ifMatch }: RequestParts<Route> = {},
): Promise<{ answer: Answer<Route>; etag: string | undefined }> {
  const address = addressOf(path, params, query);
  if (method === "GET" && !path.startsWith("/api/auth/")) noteRead(address);
  const response = await fetch(address, {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RequestError(0, "The service did not answer. Trying again.");
  });
  const text = await response.text();
  if (!response.ok) {
    const error = errorOf(response, text);
    if (isWithoutSession(error) && !path.startsWith("/api/auth/")) onUnauthenticated();
    throw error;
  }
  return { answer: JSON.parse(text) as Answer<Route>, etag: response.headers.get("etag") ?? undefined };
}

/** An event of a stream, with its data parsed. */
export interface StreamedEvent {
  name: string;
  data: unknown;
}

/**
 * Calls a route that answers with a stream of events, and hands them on as they come, until the stream ends.
 * @throws RequestError when the answer is no success or breaks off; the signal's reason when it aborts
 */
export async function requestEvents<Route extends RouteDefinition>(
  method: Route["method"],
  path: Route["path"],
  {
    body,
    signal,
    onEvent,
  }: { body: Wire<Route["body"]>; signal: AbortSignal; onEvent(event: StreamedEvent): void },
): Promise<void> {
  const breakOff = (message: string) => () => {
    throw signal.aborted ? signal.reason : new RequestError(0, message);
  };
  const response = await fetch(path, {
    method,
    signal,
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(breakOff("The service did not answer; try again."));
  if (!response.ok) {
    const error = errorOf(response, await response.text());
    if (isWithoutSession(error)) onUnauthenticated();
    throw error;
  }
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event = "message", data }) => onEvent({ name: event, data: JSON.parse(data) }),
  });
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read().catch(breakOff("The connection to the service broke off; try again."));
    if (!part || part.done) return;
    parser.feed(decoder.decode(part.value, { stream: true }));
  }
}

/** Reads a picture of the service. @throws RequestError when it is not there */
export async function pictureAt(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new RequestError(response.status, `the picture's link answered ${response.status}`);
  return response.blob();
}

function addressOf(path: string, params: unknown, query: unknown): string {
  const values = (params ?? {}) as Record<string, string>;
  const filled = path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const search = new URLSearchParams(
    Object.entries((query ?? {}) as Record<string, string | number | undefined>)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, String(value)]),
  ).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function errorOf(response: Response, text: string): RequestError {
  try {
    const { error, code, details } = JSON.parse(text) as ErrorEnvelope;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return new RequestError(response.status, error, {
      details: details ? problemsOf(details) : [],
      code,
      ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
    });
  } catch {
    return new RequestError(response.status, `The service answered ${response.status} without saying why.`);
  }
}
