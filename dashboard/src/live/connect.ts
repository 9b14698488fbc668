/** Connects a tab with the stream: the shared worker's, or one of its own while it is visible. */
import { LiveConnection } from "./live-connection.ts";
import type { StreamMessage, TabMessage } from "./message.ts";
import workerUrl from "./shared-worker.ts?sharedworker&url";
import { trustedScript } from "./trusted-script.ts";

/** A tab's end of the stream. */
export interface LiveLink {
  /** Names the checks of which every result is wanted; the first call begins. */
  follow(checkIds: readonly string[]): void;
  close(): void;
}

/**
 * Connects with the stream, or with none where the browser knows no streams.
 * @param owner names the person and team whose stream it is
 */
export function connectLive(owner: string, receive: (message: StreamMessage) => void): LiveLink {
  try {
    if (typeof SharedWorker === "function") return connectWorker(owner, receive);
  } catch {
    // Some browsers have the class and refuse to start one, as in private windows.
  }
  return typeof EventSource === "function"
    ? connectWhileVisible(receive)
    : { follow: () => undefined, close: () => undefined };
}

function connectWorker(owner: string, receive: (message: StreamMessage) => void): LiveLink {
  const worker = new SharedWorker(trustedScript(workerUrl), { name: "svc" });
  const { port } = worker;
  const post = (message: TabMessage) => port.postMessage(message);
  let followed: readonly string[] = [];
  const leave = () => post({ kind: "leave" });
  // A page that the browser keeps for its way back comes to life again.
  const comeBack = ({ persisted }: PageTransitionEvent) => {
    if (persisted) post({ kind: "follow", checkIds: followed, owner });
  };
  port.addEventListener("message", ({ data }: MessageEvent<StreamMessage>) => receive(data));
  port.start();
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", comeBack);
  return {
    follow: (checkIds) => {
      followed = checkIds;
      post({ kind: "follow", checkIds, owner });
    },
    close: () => {
      leave();
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("pageshow", comeBack);
      port.close();
    },
  };
}

function connectWhileVisible(receive: (message: StreamMessage) => void): LiveLink {
  const connection = new LiveConnection(receive);
  let followed: readonly string[] = [];
  const update = () => (document.hidden ? connection.close() : connection.follow(followed));
  document.addEventListener("visibilitychange", update);
  return {
    follow: (checkIds) => {
      followed = checkIds;
      update();
    },
    close: () => {
      document.removeEventListener("visibilitychange", update);
      connection.close();
    },
  };
}
