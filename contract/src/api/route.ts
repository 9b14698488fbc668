/**
 * The shape of the route table: one definition per route of the REST API, from which the service registers, validates
 * and documents the route, and from which the client is typed. Definitions lie beside this file, one file per resource.
 */
import type * as z from "zod";
import type { Access } from "./access.ts";

/** A route of the REST API. */
export interface RouteDefinition {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path with its parameters as `:name`, e.g. `/api/checks/:id`. */
  readonly path: string;
  /** Credential and role that the route needs. Its method says nothing about that, so each route says it. */
  readonly access: Access;
  /** True: a display session may call the route, too: the wall needs it. Such a route only reads. */
  readonly forDisplays?: true;
  /** True: the answer is a report of what was measured, which may be some seconds old, so that a standby database may give it. */
  readonly isReport?: true;
  /** Heading of the API reference that lists the route. */
  readonly tag: string;
  /** A short sentence that says what a call does. */
  readonly summary: string;
  /** Further facts that a caller has to know, in Markdown. */
  readonly description?: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Status of a success; default 200. */
  readonly status?: number;
  /** Body of a success as JSON; absent for a file, and where there is no success. */
  readonly answer?: z.ZodType;
  /** Media types of a success that is a file, in place of `answer`. */
  readonly fileTypes?: readonly string[];
  /** Data of the events of a success that is a stream of server-sent events, in place of `answer`. */
  readonly events?: z.ZodType;
  /** Field of the answer that holds a record; the answer names the record's version in `ETag`. */
  readonly versioned?: string;
  /** True: the change is refused with 412 when the record has another version than the one that `If-Match` names. */
  readonly acceptsIfMatch?: true;
  /** Statuses of failures that are answered with a page for people, or with an error as JSON. */
  readonly pageStatuses?: readonly number[];
  /** Bodies of other statuses that the route answers, errors that every route can answer left out. */
  readonly otherAnswers?: Readonly<Record<number, z.ZodType>>;
}

/** Returns the definition as it is; gives it its narrow type. */
export function defineRoute<const Route extends RouteDefinition>(route: Route): Route {
  return route;
}

/** Parsed value of a schema that a route may lack: what the service's handler receives. */
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Value of a schema before it is parsed: what a client writes; defaults may be left out. */
type Written<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** Path parameters, query and body of a route as its handler receives them. */
export interface RouteInput<Route extends RouteDefinition> {
  params: Parsed<Route["params"]>;
  query: Parsed<Route["query"]>;
  body: Parsed<Route["body"]>;
}

/** Path parameters, query and body of a route as a client writes them. */
export interface RouteCall<Route extends RouteDefinition> {
  params: Written<Route["params"]>;
  query: Written<Route["query"]>;
  body: Written<Route["body"]>;
}

/** Body of a route's success. */
export type RouteAnswer<Route extends RouteDefinition> = Parsed<Route["answer"]>;
