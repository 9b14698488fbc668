/** Describes monthly reports, and who is sent them. */
import type { Channel, ReportSubscription } from "@svc/contract";
import type { Output } from "../../output/output.ts";

/** Returns a share such as `99.95%`, rounded down; `-` where nothing was measured. */
export function reportShare(basisPoints: number | null): string {
  return basisPoints === null ? "-" : `${(basisPoints / 100).toFixed(2)}%`;
}

/** Returns what prints the channels that are sent reports. */
export function recipientsPrinter(
  { channelIds }: ReportSubscription,
  channels: readonly Channel[],
): (out: Output) => void {
  const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
  return (out) => {
    if (channelIds.length === 0) out.line("Reports are sent to nobody.");
    for (const id of channelIds) out.line(out.text(names.get(id) ?? id));
  };
}
