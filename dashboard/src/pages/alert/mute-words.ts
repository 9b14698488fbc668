/** Why, and until when, an alert notifies nobody. No I/O. */
import type { alertInstanceRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { instantText } from "../../time/format.ts";

type Shown = Answer<typeof alertInstanceRoutes.get>;

/** Returns when the mute ends, with the zone of the instant; undefined when the alert is not muted. */
export function muteText({ muted, mutedUntil }: Shown["instance"], zone: string): string | undefined {
  if (!muted) return undefined;
  return mutedUntil === null
    ? "Muted until it is lifted"
    : `Muted until ${instantText(mutedUntil)} (${zone})`;
}

/** Returns why nobody was notified. */
export function whyNobody({ instance, events }: Shown, zone: string): string {
  const { heldBack } = instance;
  if (heldBack) return `Nobody was notified: ${heldBack.text}.`;
  const mute = muteText(instance, zone);
  if (mute === undefined)
    return "Nobody was notified: its rule names no channel for alerts, its incident notified nobody, or it began muted.";
  const by = events.findLast(({ type }) => type === "muted")?.actorName;
  return by == null
    ? `Nobody was notified: a maintenance window mutes it. ${mute}.`
    : `Nobody was notified: ${by} muted it. ${mute}.`;
}
