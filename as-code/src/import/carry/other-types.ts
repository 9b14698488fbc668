/** Configurations of check types beside HTTP and browser, in the fields of their schemas, and notes on what they can't say. */
import type { StartTlsProtocol } from "@svc/contract";
import type { ImportDraft } from "../draft.ts";
import type { Item } from "../item.ts";
import type { DraftAssertion } from "./assertions.ts";

/** Settings that all of these types have. */
type Common = {
  timeoutMs?: number | undefined;
  assertions?: DraftAssertion[] | undefined;
};

type Port = Common & { host: string; port: number | undefined };

/** A connection to a port. */
export function tcpCheck(config: Port & { tls?: boolean; send?: string | undefined }) {
  return { type: "tcp", config };
}

/** A TLS handshake, and the certificate that it shows. */
export function tlsCheck({ port = 443, ...config }: Port & { startTls?: StartTlsProtocol }) {
  return { type: "tls", config: { port, ...config } };
}

/**
 * A question to a name server.
 * @param server a host, `host:port`, or a URL: `https://` for DNS over HTTPS, any other scheme stands for the transport
 */
export function dnsCheck({
  name,
  server,
  ...config
}: Common & {
  name: string;
  recordType: string;
  server?: string | undefined;
  expectedRcode?: string | undefined;
  expectEquals?: string[] | undefined;
}) {
  const [, scheme = "", host = ""] = /^(?:([a-z]+):\/\/)?(.*)$/is.exec(server ?? "") ?? [];
  const isHttps = scheme.toLowerCase() === "https";
  return {
    type: "dns",
    config: {
      domain: name.replace(/\.$/, ""),
      resolver: server === undefined ? undefined : isHttps ? server : host.replace(/\/.*$/, ""),
      transport: isHttps ? "https" : scheme.toLowerCase() === "tcp" ? "tcp" : undefined,
      ...config,
    },
  };
}

/** An ICMP echo. */
export function pingCheck(config: Common & { host: string }) {
  return { type: "ping", config };
}

/** A call of gRPC's health service. @param target `host:port`, or a URL of which `grpcs` means TLS */
export function grpcCheck({
  target,
  tls = /^(?:grpcs|https):/i.test(target),
  ...config
}: Common & { target: string; service?: string | undefined; tls?: boolean | undefined }) {
  const { host, port = tls ? 443 : 80 } = hostAndPort(target);
  return { type: "grpc", config: { host, port, tls, ...config } };
}

/** A WebSocket. */
export function websocketCheck(config: Common & { url: string; send?: string | undefined }) {
  return { type: "websocket", config };
}

/** Notes each of these settings that is given: the check has nothing like it. */
export function noteSettings(
  holder: Item,
  settings: readonly string[],
  { draft, monitor }: { draft: ImportDraft; monitor: string },
): void {
  for (const setting of settings) {
    const item = holder.get(setting);
    if (item.isGiven() && item.flag() !== false)
      draft.leftOut(item, `${setting} is not carried over`, monitor);
  }
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
