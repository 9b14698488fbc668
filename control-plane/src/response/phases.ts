/** The phases of a request as people call them, and the one that takes most of its time. Pure. */
import type { Timing } from "@svc/contract";

/** Names of the phases. */
export const PHASE_NAMES = {
  dnsLookupMs: "DNS lookup",
  tcpConnectMs: "TCP connect",
  tlsHandshakeMs: "TLS handshake",
  ttfbMs: "time to first byte",
  contentTransferMs: "content transfer",
} as const satisfies Partial<Record<keyof Timing, string>>;

/** A phase of a request by its field. */
export type PhaseKey = keyof typeof PHASE_NAMES;

/** The phase that takes most of a request's time. */
export interface MainPhase {
  name: string;
  ms: number;
  totalMs: number;
}

/** Returns the phase that takes more than half of the time; undefined when none is known to. */
export function mainPhaseOf(timing: Timing): MainPhase | undefined {
  const { totalMs } = timing;
  for (const [key, name] of Object.entries(PHASE_NAMES)) {
    const ms = timing[key as PhaseKey] ?? 0;
    if (ms * 2 > totalMs) return { name, ms, totalMs };
  }
  return undefined;
}
