/**
 * Reads database URLs that name several servers, as libpq does: `postgres://user:password@one:5432,two:5433/db`. pg knows
 * URLs of one server only, so that each server gets a URL of its own here; everything else in it is left to pg.
 */
import { isIP } from "node:net";

/** One server that a URL names. */
export interface DatabaseServer {
  /** Host and port for people, never with a password. */
  name: string;
  /** URL of this server alone, for pg. */
  url: string;
}

/** Kinds of servers that may be taken. `read-write`: takes writes; `primary`: is no standby; `any`: whoever answers. */
export type TargetSessionAttrs = "read-write" | "primary" | "standby" | "any";

/** Purpose of a URL: writing and reading, or reads that may be some seconds old. */
export type DatabaseUse = "writes" | "reads";

/** A parsed database URL. */
export interface DatabaseUrl {
  /** The servers in the order of the URL; at least one. */
  servers: DatabaseServer[];
  /** The kind of server that is wanted; undefined: the URL says nothing. */
  target: TargetSessionAttrs | undefined;
}

/** A database URL can't be used; the message names the problem and quotes neither user nor password. */
export class DatabaseUrlError extends Error {}

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^?]*)(\?.*)?$/s;
const HOST_AND_PORT = /^(\[[^[\]]*\]|[^[\]:]*)(?::(\d*))?$/;
const DEFAULT_PORT = 5432;
const SERVERS_MAX = 8;

const TARGETS: Record<DatabaseUse, readonly TargetSessionAttrs[]> = {
  writes: ["read-write", "primary", "any"],
  reads: ["any", "standby"],
};

/**
 * Parses a database URL.
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(text: string, use: DatabaseUse): DatabaseUrl {
  const [, scheme, credentials = "", authority = "", path = "", query = ""] = PARTS.exec(text) ?? [];
  if (!scheme) throw new DatabaseUrlError("expected postgres://user:password@host:port/database");
  const parameters = new URLSearchParams(query);
  const target = parseTarget(parameters.get("target_session_attrs"), use);
  const inQuery = parameters.get("host");
  const hosts = (inQuery ?? authority).split(",");
  if (hosts.length === 1) {
    const name = inQuery
      ? nameOf(inQuery, parameters.get("port") ?? "")
      : nameOf(...hostAndPort(authority, 1));
    return { servers: [{ name, url: text }], target };
  }
  if (hosts.length > SERVERS_MAX)
    throw new DatabaseUrlError(`names ${hosts.length} hosts; at most ${SERVERS_MAX} are possible`);
  if (use === "writes" && target === "any")
    throw new DatabaseUrlError(
      "target_session_attrs=any would take a standby, and the service has to write; leave it out, or use read-write or primary",
    );
  const pairs =
    inQuery === null ? hosts.map((host, i) => hostAndPort(host, i + 1)) : portsOf(hosts, parameters);
  const servers = pairs.map(([host, port]) => ({
    name: nameOf(host, port),
    url: serverUrl({ scheme, credentials, path, parameters }, host, port),
  }));
  const doubled = servers.find(({ name }, i) => servers.findIndex((other) => other.name === name) !== i);
  if (doubled) throw new DatabaseUrlError(`names the host ${doubled.name} twice`);
  return { servers, target };
}

function parseTarget(text: string | null, use: DatabaseUse): TargetSessionAttrs | undefined {
  if (text === null) return undefined;
  const known = TARGETS[use].find((target) => target === text);
  if (known) return known;
  throw new DatabaseUrlError(
    `target_session_attrs can't be ${JSON.stringify(text.slice(0, 40))} here; possible are ${TARGETS[use].join(", ")}`,
  );
}

/** Returns host and port of a member of the list; `position` counts from 1. A bracketed address stays in its brackets. */
function hostAndPort(text: string, position: number): [host: string, port: string] {
  const [, host, port = ""] = HOST_AND_PORT.exec(text) ?? [];
  if (host === undefined)
    throw new DatabaseUrlError(`host ${position} is not of the form host, host:port or [IPv6 address]:port`);
  if (position > 1 && host === "") throw new DatabaseUrlError(`host ${position} is empty`);
  if (host.startsWith("[") && isIP(host.slice(1, -1)) !== 6)
    throw new DatabaseUrlError(`host ${position} has brackets around something else than an IPv6 address`);
  assertPort(port, position);
  return [host, port];
}

/** Returns the hosts of `?host=one,two` with the ports of `?port=`: one for all, or one for each. */
function portsOf(hosts: readonly string[], parameters: URLSearchParams): [host: string, port: string][] {
  const ports = (parameters.get("port") ?? "").split(",");
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new DatabaseUrlError(`names ${hosts.length} hosts and ${ports.length} ports`);
  return hosts.map((host, i) => {
    const port = (ports.length === 1 ? ports[0] : ports[i]) ?? "";
    if (host === "") throw new DatabaseUrlError(`host ${i + 1} is empty`);
    assertPort(port, i + 1);
    return [host, port];
  });
}

function assertPort(port: string, position: number): void {
  const isPort = /^\d{0,5}$/.test(port) && (port === "" || (Number(port) >= 1 && Number(port) <= 65_535));
  if (!isPort) throw new DatabaseUrlError(`the port of host ${position} is not a number from 1 to 65535`);
}

function nameOf(host: string, port: string): string {
  const decoded = /%2f/i.test(host) ? decodeURIComponent(host) : host;
  const isBare = isIP(decoded) === 6;
  return `${isBare ? `[${decoded}]` : decoded || "localhost"}:${port || DEFAULT_PORT}`;
}

interface UrlRest {
  scheme: string;
  credentials: string;
  path: string;
  parameters: URLSearchParams;
}

function serverUrl({ scheme, credentials, path, parameters }: UrlRest, host: string, port: string): string {
  if (!parameters.has("host")) {
    const query = parameters.size > 0 ? `?${parameters}` : "";
    return `${scheme}${credentials}${host}${port && `:${port}`}${path}${query}`;
  }
  const own = new URLSearchParams(parameters);
  own.set("host", host);
  own.delete("port");
  if (port) own.set("port", port);
  return `${scheme}${credentials}${path}?${own}`;
}
