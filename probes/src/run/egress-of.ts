/** The way out of a run: the one its context brings, else one of two that the process shares. */
import { createEgress, type Egress } from "@svc/egress";
import type { ProbeContext } from "./probe.ts";

/** The egress for each value of `allowPrivateAddresses`, shared by all runs. */
const sharedEgress = new Map<boolean, Egress>();

/** Returns the way out for a run in this context. */
export function egressOf(context: ProbeContext): Egress {
  if (context.egress) return context.egress;
  const allowPrivate = context.allowPrivateAddresses;
  let egress = sharedEgress.get(allowPrivate);
  if (!egress) {
    egress = createEgress({ allowPrivate });
    sharedEgress.set(allowPrivate, egress);
  }
  return egress;
}
