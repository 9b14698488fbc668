/** What became of the packets of a ping check. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { Exact, Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function PingParts({ result: { pingJson } }: { result: Pick<Shown, "pingJson"> }) {
  if (!pingJson) return null;
  const { address, transmitted, received, lossPercent, roundTripMs } = pingJson;
  return (
    <Panel title="Ping">
      <p>
        {received} of {transmitted} packets to <Text>{address}</Text> were answered.
      </p>
      <Figures>
        <FigureValue title="Packet loss">
          <Exact value={lossPercent} unit="%" digits={1} />
        </FigureValue>
        {roundTripMs && (
          <>
            <FigureValue title="Shortest round trip">
              <Exact value={roundTripMs.min} unit="ms" digits={3} />
            </FigureValue>
            <FigureValue title="Average round trip">
              <Exact value={roundTripMs.avg} unit="ms" digits={3} />
            </FigureValue>
            <FigureValue title="Longest round trip">
              <Exact value={roundTripMs.max} unit="ms" digits={3} />
            </FigureValue>
          </>
        )}
      </Figures>
    </Panel>
  );
}
