/**
 * Cuts a driver's stream of bytes into frames. The sender may be a hostile script, so any breach of the rules ends
 * the reading.
 */

import { FRAME_LINE_BYTES_MAX, FRAME_PAYLOAD_BYTES_MAX } from "../protocol/limits.ts";
import { type News, newsSchema } from "../protocol/messages.ts";

/** The stream breaks the rules of the protocol. */
class FrameError extends Error {}

const NEWLINE = 10;

export class FrameReader {
  readonly #onFrame: (news: News, payload: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: { news: News; payloadBytes: number } | undefined;

  constructor(onFrame: (news: News, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /**
   * Takes the next bytes and calls back for each frame that they complete.
   * @throws FrameError
   */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#takeFrame()) {
      // repeats until the rest is not a whole frame
    }
  }

  #takeFrame(): boolean {
    if (this.#head === undefined) {
      if (!this.#chunks.some((chunk) => chunk.includes(NEWLINE))) {
        if (this.#length > FRAME_LINE_BYTES_MAX) throw new FrameError("a line is too long");
        return false;
      }
      this.#head = parseHead(this.#takeLine());
    }
    const { news, payloadBytes } = this.#head;
    if (this.#length < payloadBytes) return false;
    this.#head = undefined;
    this.#onFrame(news, this.#take(payloadBytes));
    return true;
  }

  #takeLine(): string {
    let at = 0;
    for (const chunk of this.#chunks) {
      const found = chunk.indexOf(NEWLINE);
      at += found === -1 ? chunk.length : found;
      if (found !== -1) break;
    }
    if (at > FRAME_LINE_BYTES_MAX) throw new FrameError("a line is too long");
    const line = this.#take(at + 1);
    return line.toString("utf8", 0, at);
  }

  #take(bytes: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = all.length > bytes ? [all.subarray(bytes)] : [];
    this.#length -= bytes;
    return all.subarray(0, bytes);
  }
}

function parseHead(line: string): { news: News; payloadBytes: number } {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch (error) {
    throw new FrameError("a line is not JSON", { cause: error });
  }
  const parsed = newsSchema.safeParse(document);
  if (!parsed.success) throw new FrameError("a line is not news of a driver", { cause: parsed.error });
  const payloadBytes = "bytes" in parsed.data ? parsed.data.bytes : 0;
  if (payloadBytes > FRAME_PAYLOAD_BYTES_MAX) throw new FrameError("a payload is too long");
  return { news: parsed.data, payloadBytes };
}
