/** Messages between a browser's one stream and its tabs. */
import type { LiveEventData, LiveEventName } from "@svc/contract";

/** An event of the stream with its name. */
export type StreamEvent = {
  [Name in LiveEventName]: { name: Name; data: LiveEventData<Name> };
}[LiveEventName];

/** From the stream to the tabs. */
export type StreamMessage =
  | { kind: "event"; event: StreamEvent }
  /** Whether the connection works, and when it last gave a sign of life (Unix ms of this machine; 0: never). */
  | { kind: "connection"; isConnected: boolean; heardAtMs: number }
  /** Events may have been missed. */
  | { kind: "missed" }
  /** The service refused the stream: the session may be over. */
  | { kind: "refused" };

/** From a tab to the stream. */
export type TabMessage =
  /** Checks of which the tab wants every result; `owner` names the person and team whose stream it is. */
  { kind: "follow"; checkIds: readonly string[]; owner: string } | { kind: "leave" };

/** Name of the channel on which tabs learn of a sign-out. */
export const SESSION_CHANNEL = "svc-session";
/** Message on that channel. */
export const SIGNED_OUT = "signed-out";
