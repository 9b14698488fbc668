/** Rules by which a component's state follows from what is measured and what people say. Pure. */
import type { ComponentState } from "@svc/contract";
import type { NoticeRow } from "../notices/store.ts";
import type { CheckStanding } from "./standing-store.ts";

/** States from the gravest to the least grave. Not to know comes before all being well. */
const GRAVEST_FIRST = [
  "outage",
  "degraded",
  "maintenance",
  "unknown",
  "operational",
] as const satisfies readonly ComponentState[];

/** Returns the gravest of states; unknown when there is none. */
export function gravest(states: readonly ComponentState[]): ComponentState {
  return GRAVEST_FIRST.find((state) => states.includes(state)) ?? "unknown";
}

/**
 * Returns the state of a check: an outage where it fails at all locations, degraded where it fails at some or has an open critical
 * alert, unknown where nothing recent is known.
 */
export function stateOfCheck({ enabled, seen, failing, hasCriticalAlert }: CheckStanding): ComponentState {
  if (!enabled || seen === 0) return "unknown";
  if (failing === seen) return "outage";
  return failing > 0 || hasCriticalAlert ? "degraded" : "operational";
}

/**
 * Returns the state of a component from those of its checks. It has an outage when all checks of which something is known have one,
 * and is degraded when some are not operational. Maintenance of all checks is maintenance; that of some hides no failure of others.
 */
export function stateOfChecks(states: readonly ComponentState[]): ComponentState {
  const known = states.filter((state) => state !== "unknown");
  const running = known.filter((state) => state !== "maintenance");
  if (known.length === 0) return "unknown";
  if (running.length === 0) return "maintenance";
  if (running.every((state) => state === "outage")) return "outage";
  if (running.some((state) => state !== "operational")) return "degraded";
  return states.length > known.length ? "unknown" : "operational";
}

/** Returns the state of a component, given the active notices that concern it. Maintenance explains what fails meanwhile. */
export function withNotices(
  measured: ComponentState,
  notices: readonly Pick<NoticeRow, "kind" | "impact">[],
): ComponentState {
  const said = notices.flatMap(({ kind, impact }) =>
    kind === "incident" && impact !== null && impact !== "none" ? [impact] : [],
  );
  if (notices.some(({ kind }) => kind === "maintenance")) return gravest([...said, "maintenance"]);
  return said.length === 0 ? measured : gravest([...said, measured]);
}
