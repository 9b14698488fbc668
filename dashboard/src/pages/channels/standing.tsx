/** How a channel stands, in the cells of the list. */
import type { ChannelStanding } from "@svc/contract";
import { attemptStates } from "../../status/words.ts";
import { Ago, Since } from "../../time/ago.tsx";
import { numberText } from "../../time/format.ts";
import { State } from "../../ui/state.tsx";

type Standing = Pick<ChannelStanding, "ruleCount" | "sloCount" | "locationCount">;

/** Says what notifies the channel: `3 rules, 1 SLO`. */
export function usedByText({ ruleCount, sloCount, locationCount }: Standing): string {
  const uses = [
    [ruleCount, "rule", "rules"],
    [sloCount, "SLO", "SLOs"],
    [locationCount, "location", "locations"],
  ] as const;
  const texts = uses
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${numberText(count)} ${count === 1 ? one : many}`);
  return texts.length === 0 ? "nothing" : texts.join(", ");
}

/** Shows the newest attempt to deliver, and since when deliveries fail. */
export function LastDelivery({
  lastDelivery,
  failingSince,
}: {
  lastDelivery: { status: "delivered" | "failed"; at: string; httpStatus: number | null } | null;
  failingSince: string | null;
}) {
  if (lastDelivery === null) return <span className="quiet">none yet</span>;
  const { status, at, httpStatus } = lastDelivery;
  return (
    <>
      <State state={attemptStates[status]} />{" "}
      {status === "failed" && httpStatus !== null && <span className="quiet">HTTP {httpStatus} </span>}
      {failingSince === null ? (
        <Ago at={at} />
      ) : (
        <span className="problem">
          failing for <Since at={failingSince} />
        </span>
      )}
    </>
  );
}
