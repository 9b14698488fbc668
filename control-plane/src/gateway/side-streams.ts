/**
 * Limits the streams that agents open beside their sessions: uploads of artifacts and requests for documents of API
 * specs. A sender has a bounded number of them open, also while they are silent. Documents are read into memory to be
 * sent, so a few are sent at a time: each sender's in turn, those of the hosted fleet apart from these.
 */
import { DomainError } from "@svc/contract";
import pLimit, { type LimitFunction } from "p-limit";
import type { Sender } from "./sender.ts";

/** Streams that a team's private runners may have open at one replica, and those that the hosted fleet may. */
const TEAM_STREAMS_MAX = 64;
const HOSTED_STREAMS_MAX = 2_000;
/** Documents that are sent at a time: of one team, of all teams, of the hosted fleet. */
const TEAM_DOCUMENTS_MAX = 2;
const ALL_TEAMS_DOCUMENTS_MAX = 16;
const HOSTED_DOCUMENTS_MAX = 16;

interface OpenStreams {
  count: number;
  documents: LimitFunction;
}

/** Counts the streams that senders have open beside their sessions. */
export class SideStreams {
  readonly #open = new Map<Sender | undefined, OpenStreams>();
  readonly #teamsDocuments = pLimit(ALL_TEAMS_DOCUMENTS_MAX);

  /**
   * Counts a stream.
   * @returns a function that ends the count; call it once
   * @throws DomainError `unavailable` when the sender has as many open as it may
   */
  begin(sender: Sender | undefined): () => void {
    const open = this.#openOf(sender);
    if (open.count >= (sender === undefined ? HOSTED_STREAMS_MAX : TEAM_STREAMS_MAX))
      throw new DomainError("unavailable", `${open.count} uploads and documents are under way; try again`);
    open.count++;
    this.#open.set(sender, open);
    return () => {
      open.count--;
      if (open.count === 0) this.#open.delete(sender);
    };
  }

  /**
   * Waits until a document of the sender may be sent. Call it for a stream that is counted.
   * @param signal aborts when the agent has gone or its time is over, which frees the place
   * @returns a function that says that the document was sent; calling it again does nothing
   */
  async awaitSending(sender: Sender | undefined, signal: AbortSignal): Promise<() => void> {
    const { documents } = this.#openOf(sender);
    const shared = sender === undefined ? undefined : this.#teamsDocuments;
    return new Promise((resolve) => {
      const hold = () =>
        new Promise<void>((free) => {
          if (signal.aborted) free();
          else signal.addEventListener("abort", () => free(), { once: true });
          resolve(free);
        });
      void documents(() => (shared ? shared(hold) : hold()));
    });
  }

  #openOf(sender: Sender | undefined): OpenStreams {
    const documentsMax = sender === undefined ? HOSTED_DOCUMENTS_MAX : TEAM_DOCUMENTS_MAX;
    return this.#open.get(sender) ?? { count: 0, documents: pLimit(documentsMax) };
  }
}
