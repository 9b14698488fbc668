/** The phases of a request in their order, and how their times are written. */
import { durationText } from "../time/format.ts";

/** Name of each phase, its field, and the words for its absence. */
export const PHASES = [
  ["DNS", "dnsLookupMs", "no name to look up"],
  ["TCP", "tcpConnectMs", "no connection"],
  ["TLS", "tlsHandshakeMs", "no TLS"],
  ["Waiting", "ttfbMs", "no response"],
  ["Transfer", "contentTransferMs", "no body"],
] as const;

/** Returns the time of a phase; short ones with a tenth of a ms. */
export function phaseText(ms: number): string {
  return ms < 100 ? `${ms.toFixed(1)} ms` : durationText(ms);
}
