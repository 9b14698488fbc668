/** Where a team's records go, with its secrets opened. */
import type { OtlpProtocol, TelemetrySignal } from "@svc/contract";
import { oneLine } from "@svc/contract";

export interface Endpoint {
  url: string;
  protocol: OtlpProtocol;
  headers: Record<string, string>;
  /** PEM; null: the public ones are trusted. */
  caCertificate: string | null;
}

/** Of an answer this much is read. */
export const ANSWER_BYTES_MAX = 256 * 1024;
const ANSWER_SHOWN_MAX = 200;

/** A path of a signal's own is taken as the base with that path, as other exporters' settings are often copied. */
const SIGNAL_PATH = /\/v1\/(logs|traces|metrics)\/?$/;

/** `<endpoint>/v1/logs` and so on; a query stays. */
export function signalUrl(endpoint: string, signal: TelemetrySignal): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(SIGNAL_PATH, "").replace(/\/+$/, "")}/v1/${signal}`;
  return url.href;
}

/** One line of an answer, for people. */
export function shownText(text: string): string {
  return oneLine(text).slice(0, ANSWER_SHOWN_MAX);
}
