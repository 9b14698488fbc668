/**
 * A runner that is lost costs no slot where another one is there: whoever takes over runs what fell due meanwhile. Judged only
 * where nothing else went wrong, since a service that is in trouble itself may come too late.
 */
import { GRACE_MS, LEASE_MS } from "../../control-plane/src/fleet/timing.ts";
import type { Trouble } from "./plan.ts";
import { EPOCH_MS } from "./scheduler.ts";
import type { World } from "./world.ts";

/** Time after a trouble's end in which a part that it hit comes back, ms. */
const AFTERMATH_MS = 10_000;

/** A slot without a result. Instants are Unix ms. */
interface LostSlot {
  checkKey: number;
  locationKey: number;
  dueMs: number;
}

/** Returns the agent that was to run the slot of a lost one; undefined when there was none, or more had gone wrong. */
export function missedCatchUp(world: World, slot: LostSlot): string | undefined {
  const [fromMs, toMs] = [slot.dueMs - LEASE_MS, slot.dueMs + GRACE_MS];
  const concurrent = world.plan.troubles.filter((trouble) => {
    const beganMs = EPOCH_MS + trouble.atMs;
    // Whoever is to be killed at a step of a delivery is killed at some time after it was planned.
    const endedMs = trouble.kind === "notifier_killed" ? toMs : beganMs + trouble.forMs + AFTERMATH_MS;
    return beganMs <= toMs && endedMs >= fromMs;
  });
  if (concurrent.some((trouble) => concernsService(trouble, slot.checkKey))) return undefined;
  const hit = new Set(
    concurrent.flatMap((trouble) => ("agent" in trouble ? [`agent-${trouble.agent}`] : [])),
  );
  return world.record.sessions.find(
    (one) =>
      one.locationKey === slot.locationKey && one.fromMs <= fromMs && one.toMs >= toMs && !hit.has(one.agent),
  )?.agent;
}

function concernsService(trouble: Trouble, checkKey: number): boolean {
  switch (trouble.kind) {
    case "channel":
    case "run_triggered":
      return false;
    case "check_changed":
      return trouble.check + 1 === checkKey;
    default:
      return !("agent" in trouble);
  }
}
