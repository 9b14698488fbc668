/** A team's endpoint, with its secrets opened. */
import {
  firstCharacters,
  type OtlpProtocol,
  oneLine,
  type TelemetrySignal,
  withoutTrailingSlashes,
} from "@svc/contract";
import type { Payload } from "./batch.ts";

/** The address of a team's collector, with protocol and headers in clear: never log it. */
export interface Endpoint {
  url: string;
  protocol: OtlpProtocol;
  headers: Record<string, string>;
  /** PEM certificates to trust; null: the public ones. */
  caCertificate: string | null;
}

/** One request of an export: the records, and the endpoint that they go to. */
export interface OtlpRequest {
  endpoint: Endpoint;
  payload: Payload;
}

/** Bytes that are read of an answer. */
export const ANSWER_BYTES_MAX = 256 * 1024;
const ANSWER_SHOWN_MAX = 200;

/** The path of one signal, which is removed from an endpoint: settings are often copied from exporters that name it. */
const SIGNAL_PATH = /\/v1\/(logs|traces|metrics)\/?$/;

/** Returns `<endpoint>/v1/logs` and so on; a query stays. */
export function signalUrl(endpoint: string, signal: TelemetrySignal): string {
  const url = new URL(endpoint);
  url.pathname = `${withoutTrailingSlashes(url.pathname.replace(SIGNAL_PATH, ""))}/v1/${signal}`;
  return url.href;
}

/** Returns the text of an answer as one short line for people. */
export function shownText(text: string): string {
  return firstCharacters(oneLine(text), ANSWER_SHOWN_MAX);
}
