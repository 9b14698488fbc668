/**
 * Reads the messages of a request off its stream, each whole and within its bounds, for the library to decode. What a
 * sender can make expensive is refused here: long messages, compressed ones, messages of too many values, messages in
 * countless small pieces, messages that never end.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { SECOND_MS } from "@svc/contract";
import { TokenBuckets } from "../platform/token-buckets.ts";
import type { ReadShare } from "./read-shares.ts";
import { assertFewValues, type WireLayout } from "./wire-values.ts";

/** Bounds of the messages of one method. */
export interface MessageBounds {
  /** Largest message, bytes. */
  bytesMax: number;
  layout: WireLayout;
  /** Time after which the stream is ended, ms; undefined: it may last for ever. */
  durationMaxMs?: number;
}

/** Flags and length, before each message. */
const PREFIX_BYTES = 5;
/** Memory for a message grows from this as its bytes come: its announced length alone takes none. */
const BUFFER_BYTES_MIN = 16 * 1024;
/** Time from a message's first byte to its last. */
const MESSAGE_TIMEOUT_MS = 30 * SECOND_MS;
/** A piece below this counts as small. Honest senders fill their frames; few pieces are the small rest of a message. */
const SMALL_PIECE_BYTES = 256;
const SMALL_PIECES_BURST = 4_000;
const SMALL_PIECES_PER_SECOND = 400;

/** A request's body: pieces of bytes, cut anywhere. */
export interface MessageSource extends AsyncIterable<Uint8Array> {
  /** Ends the stream; the iteration then throws the error. */
  destroy(error: Error): unknown;
}

/** Inputs of {@link boundedMessages}. */
export interface BoundedMessagesInput {
  source: MessageSource;
  bounds: MessageBounds;
  /** The sender's share of what the replica reads. */
  share: ReadShare;
  /** Called with the length of each piece. */
  onPiece?: (bytes: number) => void;
}

/**
 * Yields each message of the stream with its prefix, as one piece.
 * @throws ConnectError RESOURCE_EXHAUSTED: too long, or in too many small pieces; UNIMPLEMENTED: compressed;
 *   INVALID_ARGUMENT: can't be decoded, too many values, or the stream ends within a message; DEADLINE_EXCEEDED
 */
export async function* boundedMessages(input: BoundedMessagesInput): AsyncGenerator<Uint8Array> {
  const { source, bounds, share, onPiece } = input;
  const smallPieces = new TokenBuckets({ burst: SMALL_PIECES_BURST, perSecond: SMALL_PIECES_PER_SECOND });
  const assembly = new Assembly();
  let release: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const piece of source) {
      onPiece?.(piece.length);
      if (piece.length < SMALL_PIECE_BYTES && !smallPieces.trySpend(""))
        throw new ConnectError("the messages come in too many small pieces", Code.ResourceExhausted);
      let rest = piece;
      while (rest.length > 0) {
        const hadPrefix = assembly.hasPrefix;
        rest = assembly.add(rest);
        if (!hadPrefix && assembly.hasPrefix) {
          assertPrefix(assembly, bounds);
          release = await share.admit(assembly.messageBytes);
        }
        if (!assembly.isComplete) {
          timer ??= setTimeout(() => source.destroy(tooSlow()), MESSAGE_TIMEOUT_MS);
          continue;
        }
        clearTimeout(timer);
        timer = undefined;
        assertFewValues(assembly.message, bounds.layout);
        yield assembly.whole;
        // The library has decoded the message when it asks for the next one.
        release?.();
        release = undefined;
        assembly.clear();
      }
    }
    if (!assembly.isEmpty) throw new ConnectError("the stream ends within a message", Code.InvalidArgument);
  } finally {
    clearTimeout(timer);
    release?.();
  }
}

/** A message and its prefix while their pieces come in. */
class Assembly {
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES_MIN);
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get hasPrefix(): boolean {
    return this.#bytes >= PREFIX_BYTES;
  }

  get isComplete(): boolean {
    return this.hasPrefix && this.#bytes === PREFIX_BYTES + this.messageBytes;
  }

  /** Flags of the message; 0: it is not compressed. */
  get flags(): number {
    return this.#buffer.readUInt8(0);
  }

  /** Announced length. */
  get messageBytes(): number {
    return this.#buffer.readUInt32BE(1);
  }

  get message(): Uint8Array {
    return this.#buffer.subarray(PREFIX_BYTES, this.#bytes);
  }

  get whole(): Uint8Array {
    return this.#buffer.subarray(0, this.#bytes);
  }

  /** Takes what belongs to the prefix, or else to the message. @returns the rest of the piece */
  add(piece: Uint8Array): Uint8Array {
    const end = this.hasPrefix ? PREFIX_BYTES + this.messageBytes : PREFIX_BYTES;
    const head = piece.subarray(0, end - this.#bytes);
    this.#reserve(this.#bytes + head.length);
    this.#buffer.set(head, this.#bytes);
    this.#bytes += head.length;
    return piece.subarray(head.length);
  }

  /** Begins the next message. */
  clear(): void {
    this.#bytes = 0;
    if (this.#buffer.length > BUFFER_BYTES_MIN) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES_MIN);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#buffer.length));
    larger.set(this.whole);
    this.#buffer = larger;
  }
}

function assertPrefix({ flags, messageBytes }: Assembly, { bytesMax }: MessageBounds): void {
  if (flags !== 0) throw new ConnectError("messages to this service are not compressed", Code.Unimplemented);
  if (messageBytes > bytesMax)
    throw new ConnectError(
      `a message of ${messageBytes} bytes; largest is ${bytesMax}`,
      Code.ResourceExhausted,
    );
}

function tooSlow(): ConnectError {
  return new ConnectError("a message did not come to its end in time", Code.DeadlineExceeded);
}
