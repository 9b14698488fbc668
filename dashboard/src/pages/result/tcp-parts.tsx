/** What a run of a TCP check received. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { countText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Verbatim } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function TcpParts({ result: { tcpJson } }: { result: Pick<Shown, "tcpJson"> }) {
  if (!tcpJson) return null;
  const { received, receivedBytes } = tcpJson;
  return (
    <Panel title="Received">
      <p>{countText(receivedBytes, "byte")} came.</p>
      <Verbatim label="Received text">{received === "" ? "(nothing)" : received}</Verbatim>
    </Panel>
  );
}
