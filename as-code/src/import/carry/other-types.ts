/** Configurations of check types beside HTTP and browser, in the fields of their schemas, and notes on what they can't say. */
import type { StartTlsProtocol } from "@svc/contract";
import type { DraftAssertion } from "./assertions.ts";

/** Settings that all of these types have. */
type Common = {
  timeoutMs?: number | undefined;
  assertions?: DraftAssertion[] | undefined;
};

/** How TLS is spoken. */
type Tls = {
  serverName?: string | undefined;
  caCertificates?: string | undefined;
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
};

/** Texts that a check sends over its connection and expects there. */
type Spoken = {
  send?: string | undefined;
  expectContains?: string | undefined;
  expectMatches?: string | undefined;
};

type Port = Common & Tls & { host: string; port: number | undefined };

/** A connection to a port. */
export function tcpCheck(config: Port & Spoken & { tls?: boolean; startTls?: StartTlsProtocol | undefined }) {
  return { type: "tcp", config };
}

/**
 * A TLS handshake, and the certificate that it shows.
 * @param minDaysBeforeExpiry what the other tool asks for: the default of svc would make the check stricter than it was
 */
export function tlsCheck({
  port = 443,
  minDaysBeforeExpiry = 0,
  ...config
}: Port & {
  startTls?: StartTlsProtocol | undefined;
  minDaysBeforeExpiry?: number | undefined;
  minProtocol?: string | undefined;
}) {
  return { type: "tls", config: { port, minDaysBeforeExpiry, ...config } };
}

/**
 * A question to a name server.
 * @param server a host, `host:port`, or a URL: `https://` for DNS over HTTPS, any other scheme stands for the transport
 * @param serverPort of a server that is named without one
 * @param transport where the server's scheme does not say it
 */
export function dnsCheck({
  name,
  server,
  serverPort,
  transport,
  ...config
}: Common & {
  name: string;
  recordType: string;
  server?: string | undefined;
  serverPort?: number | undefined;
  transport?: string | undefined;
  expectedRcode?: string | undefined;
  expectContains?: string[] | undefined;
  expectEquals?: string[] | undefined;
}) {
  const [, scheme = "", host = ""] = /^(?:([a-z]+):\/\/)?(.*)$/is.exec(server ?? "") ?? [];
  const isHttps = scheme.toLowerCase() === "https";
  return {
    type: "dns",
    config: {
      domain: name.replace(/\.$/, ""),
      resolver:
        server === undefined ? undefined : isHttps ? server : withPort(host.replace(/\/.*$/, ""), serverPort),
      transport: isHttps
        ? "https"
        : [scheme, transport].some((one) => one?.toLowerCase() === "tcp")
          ? "tcp"
          : undefined,
      ...config,
    },
  };
}

/** Returns `host:port` for a host that has no port yet; the port of DNS is left out. */
function withPort(host: string, port: number | undefined): string {
  if (port === undefined || port === 53) return host;
  if (/^\[[^\]]*\](?::\d+)?$/.test(host)) return host.endsWith("]") ? `${host}:${port}` : host;
  const colons = host.split(":").length - 1;
  if (colons === 1) return host;
  return colons > 1 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** ICMP echoes. */
export function pingCheck(
  config: Common & {
    host: string;
    count?: number | undefined;
    maxLossPercent?: number | undefined;
    maxRoundTripMs?: number | undefined;
  },
) {
  return { type: "ping", config };
}

/** A call of gRPC's health service. @param target `host:port`, or a URL of which `grpcs` means TLS */
export function grpcCheck({
  target,
  tls = /^(?:grpcs|https):/i.test(target),
  ...config
}: Common &
  Tls & {
    target: string;
    service?: string | undefined;
    tls?: boolean | undefined;
    metadata?: Readonly<Record<string, string>> | undefined;
  }) {
  const { host, port = tls ? 443 : 80 } = hostAndPort(target);
  return { type: "grpc", config: { host, port, tls, ...config } };
}

/** A WebSocket. */
export function websocketCheck(
  config: Common &
    Spoken & {
      url: string;
      headers?: Readonly<Record<string, string>> | undefined;
      subprotocols?: string[] | undefined;
    },
) {
  return { type: "websocket", config };
}

/** Signs of life that a program sends. */
export function heartbeatCheck(config: {
  periodSeconds: number | undefined;
  graceSeconds: number | undefined;
}) {
  return { type: "heartbeat", config: { ...config } };
}

/** Several requests in a row. @param timeoutMs for all of them together */
export function multistepCheck(steps: readonly Readonly<Record<string, unknown>>[], timeoutMs: number) {
  return { type: "multistep", config: { steps: steps.map(withoutUndefined), timeoutMs } };
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Splits `host:port`, `[address]:port` or a URL with any scheme. */
export function hostAndPort(target: string): { host: string; port: number | undefined } {
  const [, host = "", port] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*)(?::(\d{1,5}))?/i.exec(target) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port: port === undefined ? undefined : Number(port) };
}
