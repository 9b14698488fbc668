/** The worker that all tabs of a browser share: it holds the one stream, and passes on what comes. */
import { LiveConnection } from "./live-connection.ts";
import { SESSION_CHANNEL, SIGNED_OUT, type StreamMessage, type TabMessage } from "./message.ts";

/** Most checks that a stream follows. */
const CHECKS_MAX = 20;

/** The checks that each tab follows. */
const tabs = new Map<MessagePort, readonly string[]>();
/** Person and team of the stream. */
let streamOwner: string | undefined;

const connection = new LiveConnection((message: StreamMessage) => {
  for (const port of tabs.keys()) port.postMessage(message);
});

function update(): void {
  const checkIds = [...new Set([...tabs.values()].flat())].sort().slice(0, CHECKS_MAX);
  if (tabs.size > 0) connection.follow(checkIds);
  else connection.close();
}

/** Ends the stream of another person or team: it carries what the new one may not see. */
function begin(owner: string): void {
  if (owner === streamOwner) return;
  streamOwner = owner;
  tabs.clear();
  connection.close();
}

self.addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports as [MessagePort];
  port.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "leave") tabs.delete(port);
    else {
      begin(data.owner);
      if (!tabs.has(port)) port.postMessage(connection.state);
      tabs.set(port, data.checkIds);
    }
    update();
  });
  port.start();
});

new BroadcastChannel(SESSION_CHANNEL).addEventListener("message", ({ data }) => {
  if (data !== SIGNED_OUT) return;
  tabs.clear();
  update();
});
