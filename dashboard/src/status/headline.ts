/** How the checks stand, in one sentence. Pure. */
import type { Overview } from "@svc/contract";

/** Returns a sentence such as `3 of 42 checks are failing`. Paused checks count for nothing. */
export function headlineOf({ total, unhealthy, unknown, disabled }: Overview["checks"]): string {
  const running = total - disabled;
  const count = `${running.toLocaleString()} ${running === 1 ? "check" : "checks"}`;
  if (total === 0) return "No checks yet";
  if (unhealthy > 0)
    return `${unhealthy.toLocaleString()} of ${count} ${unhealthy === 1 ? "is" : "are"} failing`;
  if (unknown > 0) return `${count}, ${unknown.toLocaleString()} without results`;
  if (running === 0) return "All checks are paused";
  return running === 1 ? "The one check is healthy" : `All ${count} are healthy`;
}
