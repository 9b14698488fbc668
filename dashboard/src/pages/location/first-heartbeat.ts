/** Recognizes the runner that was started with a new key. Pure. */
import type { Runner } from "../../api/queries/locations.ts";

type Seen = Pick<Runner, "id" | "hostname" | "status" | "lastHeartbeat">;

/**
 * Returns the runner that connected since the key was made, and how long that took; undefined while none has.
 * @param before ids of the runners that were connected when the key was made
 * @param keyCreatedAt ISO 8601, by the service's clock
 */
export function firstHeartbeat(
  runners: readonly Seen[],
  { before, keyCreatedAt }: { before: ReadonlySet<string>; keyCreatedAt: string },
): { hostname: string; afterMs: number } | undefined {
  const createdMs = Date.parse(keyCreatedAt);
  for (const { id, hostname, status, lastHeartbeat } of runners) {
    if (before.has(id) || status === "offline" || lastHeartbeat === null) continue;
    const afterMs = Date.parse(lastHeartbeat) - createdMs;
    if (afterMs >= 0) return { hostname, afterMs };
  }
  return undefined;
}
