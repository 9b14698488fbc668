/** Whether what the page shows is the present. Pure. */

/** Age from which a sign of life proves nothing any more. */
const LIVE_MS = 20_000;

/** Signs of life, in Unix ms; 0: there was none yet. */
export interface SignsOfLife {
  isConnected: boolean;
  /** Of the stream. */
  heardAtMs: number;
  /** Of the newest answer to a query. */
  answeredAtMs: number;
}

/** State of the page: `polling` is live, too, some seconds behind. */
export type Liveness =
  | { state: "connecting" | "streaming" | "reconnecting" | "polling" }
  | { state: "stale"; sinceMs: number };

/** Judges how far what is shown can be trusted. */
export function livenessOf({ isConnected, heardAtMs, answeredAtMs }: SignsOfLife, nowMs: number): Liveness {
  const isHeard = nowMs - heardAtMs < LIVE_MS;
  if (isHeard) return { state: isConnected ? "streaming" : "reconnecting" };
  if (nowMs - answeredAtMs < LIVE_MS) return { state: "polling" };
  const sinceMs = Math.max(heardAtMs, answeredAtMs);
  return sinceMs === 0 ? { state: "connecting" } : { state: "stale", sinceMs };
}
