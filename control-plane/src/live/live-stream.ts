/** One client's stream: passes on the events that the client asked for, and ends when the client does not keep up. */
import { Readable } from "node:stream";
import type { CheckId, LiveTopic } from "@svc/contract";
import type { Caller } from "../platform/http/caller.ts";
import { type Frame, frameOf } from "./frame.ts";

/** Bytes that may wait for a client, beside those in the buffers of its connection. */
export const WAITING_BYTES_MAX = 256 * 1024;

/** Why a stream ended; `left` says that the client closed it. */
export type StreamEnd = "left" | "stopping" | "credential" | "slow";

/** A client's identity and the topics and checks that its stream sends. */
export interface LiveStreamOptions {
  caller: Caller;
  topics: ReadonlySet<LiveTopic>;
  /** Checks of which every result is sent. */
  checkIds: ReadonlySet<CheckId>;
  /** Called once, when the stream has ended. */
  onEnd: (reason: StreamEnd) => void;
}

/** Writes frames into one client's answer, at most `WAITING_BYTES_MAX` ahead of it; ends with the reason `slow` beyond that. */
export class LiveStream {
  readonly caller: Caller;
  /** The bytes for the client. */
  readonly readable: Readable;
  readonly #options: LiveStreamOptions;
  #end: StreamEnd | undefined;

  constructor(options: LiveStreamOptions) {
    this.caller = options.caller;
    this.#options = options;
    this.readable = new Readable({ read: () => undefined });
    this.readable.once("close", () => this.#ended("left"));
    this.readable.on("error", () => undefined);
  }

  /** True once nothing more is sent. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sends the event if the client asked for it. @returns true when it was sent */
  send({ name, checkId, bytes }: Frame): boolean {
    const { topics, checkIds } = this.#options;
    if (this.#end !== undefined) return false;
    if (isTopic(name) && !topics.has(name)) return false;
    if (checkId !== undefined && !checkIds.has(checkId as CheckId)) return false;
    if (this.readable.readableLength + bytes.length > WAITING_BYTES_MAX) {
      this.#ended("slow");
      // Nothing that is written would arrive: the connection is cut.
      this.readable.destroy();
      return false;
    }
    this.readable.push(bytes);
    return true;
  }

  /** Says why and ends the stream. Safe to call twice. */
  end(reason: Exclude<StreamEnd, "left" | "slow">): void {
    if (this.#end !== undefined) return;
    this.readable.push(frameOf({ name: "bye", data: { reason } }).bytes);
    this.readable.push(null);
    this.#ended(reason);
  }

  #ended(reason: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#options.onEnd(reason);
  }
}

const NOT_TOPICS: readonly string[] = ["hello", "ping", "resync", "bye"];

function isTopic(name: string): name is LiveTopic {
  return !NOT_TOPICS.includes(name);
}
