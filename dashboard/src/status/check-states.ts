/** Checks joined with their health. */
import type { CheckState } from "./words.ts";

/** Fields of a listed check that decide its state. */
interface Listed {
  id: string;
  enabled: boolean;
}

/** Health of a check, as the API answers it. */
interface Known {
  checkId: string;
  health: CheckState;
}

/** Order in which checks are shown: what needs somebody first. */
const ORDER: readonly CheckState[] = ["unhealthy", "unknown", "healthy", "paused"];

/** Returns the checks with their states, those that need somebody first. A paused check is neither healthy nor failing. */
export function withStates<Check extends Listed, Health extends Known>(
  checks: readonly Check[],
  health: readonly Health[],
): { check: Check; state: CheckState; health: Health | undefined }[] {
  const byId = new Map(health.map((one) => [one.checkId, one]));
  return checks
    .map((check) => {
      const known = byId.get(check.id);
      const state = check.enabled ? (known?.health ?? "unknown") : "paused";
      return { check, state, health: known };
    })
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

/** Says in one sentence how the checks stand. */
export function summaryOf(states: readonly CheckState[]): string {
  const running = states.filter((state) => state !== "paused");
  const failing = running.filter((state) => state === "unhealthy").length;
  const unknown = running.filter((state) => state === "unknown").length;
  const count = `${running.length} ${running.length === 1 ? "check" : "checks"}`;
  if (states.length === 0) return "No checks yet";
  if (failing > 0) return `${failing} of ${count} ${failing === 1 ? "is" : "are"} failing`;
  if (unknown > 0) return `${count}, ${unknown} without results`;
  if (running.length === 0) return "All checks are paused";
  return running.length === 1 ? "The one check is healthy" : `All ${count} are healthy`;
}
