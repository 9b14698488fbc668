/**
 * Configurations of check types beside HTTP and browser. While svc has no such type, a monitor of it is listed as not carried over; when
 * it gets one, the fields here follow its schema, and the monitors come along.
 */

type Fields = Record<string, unknown>;

/** A connection to a port. */
export function tcpCheck({
  host,
  port,
  timeoutMs,
}: {
  host: string;
  port: number | undefined;
  timeoutMs?: number | undefined;
}) {
  return { type: "tcp", config: { host, port, timeoutMs } };
}

/** A TLS handshake, and the certificate that it shows. */
export function tlsCheck({
  host,
  port = 443,
  timeoutMs,
}: {
  host: string;
  port?: number | undefined;
  timeoutMs?: number | undefined;
}) {
  return { type: "tls", config: { host, port, timeoutMs } };
}

/** A question to a name server. */
export function dnsCheck(config: {
  name: string;
  recordType: string;
  server?: string | undefined;
  timeoutMs?: number | undefined;
}) {
  return { type: "dns", config: { ...config } satisfies Fields };
}

/** An ICMP echo. */
export function pingCheck(config: { host: string; timeoutMs?: number | undefined }) {
  return { type: "ping", config: { ...config } satisfies Fields };
}

/** A call of gRPC's health service. */
export function grpcCheck(config: {
  target: string;
  service?: string | undefined;
  timeoutMs?: number | undefined;
}) {
  return { type: "grpc", config: { ...config } satisfies Fields };
}

/** A WebSocket. */
export function websocketCheck(config: { url: string; timeoutMs?: number | undefined }) {
  return { type: "websocket", config: { ...config } satisfies Fields };
}

/** Signs of life that a program sends. */
export function heartbeatCheck(config: {
  periodSeconds: number | undefined;
  graceSeconds: number | undefined;
}) {
  return { type: "heartbeat", config: { ...config } satisfies Fields };
}

/** Several requests in a row. */
export function multistepCheck(steps: readonly unknown[]) {
  return { type: "multistep", config: { steps: [...steps] } };
}

/** Splits `host:port`, `[address]:port` or a URL with any scheme. */
export function hostAndPort(target: string): { host: string; port: number | undefined } {
  const [, host = "", port] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*)(?::(\d{1,5}))?/i.exec(target) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port: port === undefined ? undefined : Number(port) };
}
