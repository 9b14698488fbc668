/** What a run of a WebSocket check received. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { countText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function WebsocketParts({ result: { websocketJson } }: { result: Pick<Shown, "websocketJson"> }) {
  if (!websocketJson) return null;
  const { httpStatusCode, subprotocol, messages, receivedMessages, receivedBytes, closeCode } = websocketJson;
  return (
    <Panel title="WebSocket messages">
      <p>
        {countText(receivedMessages, "message")} with {countText(receivedBytes, "byte")} came
        {httpStatusCode !== undefined && ` after a handshake with HTTP status ${httpStatusCode}`}
        {closeCode !== undefined && `; the server closed with code ${closeCode}`}.
      </p>
      {subprotocol !== undefined && (
        <p>
          Subprotocol <Text>{subprotocol}</Text>
        </p>
      )}
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no name but their order
        <Verbatim key={index} label={`Message ${index + 1}`}>
          {message === "" ? "(empty)" : message}
        </Verbatim>
      ))}
    </Panel>
  );
}
