/**
 * Cuts a driver's stream of bytes into frames. The sender may be a hostile script, so any breach of the rules ends the
 * reading. What has arrived is kept in one buffer, and no byte of it is searched twice: the cost of reading grows with
 * the bytes sent and not with the number of pieces that they come in.
 */
import { jsonExcess } from "../../base/json-width.ts";
import {
  FRAME_LINE_BYTES_MAX,
  FRAME_PAYLOAD_BYTES_MAX,
  FRAME_VALUES_MAX,
  LIST_MAX,
  SCRIPT_LINE_BYTES_MAX,
  SCRIPT_PAYLOAD_BYTES_MAX,
  STEP_DOCUMENT_BYTES_MAX,
} from "../protocol/limits.ts";
import { type DriverMessage, driverMessageSchema } from "../protocol/messages.ts";

/** The stream breaks the rules of the protocol. */
class FrameError extends Error {}

/** The receiver of a driver's frames, and the limit on their bytes. */
export interface FrameReaderOptions {
  /** Called with each frame. The payload is valid during the call only. */
  onFrame: (message: DriverMessage, payload: Buffer) => void;
  /** True: the sender may send a script's amount of bytes in its life, and no more. */
  hasBudget: boolean;
}

const NEWLINE = 10;
const BUFFER_BYTES_MIN = 64 * 1024;

/** Reads the frames of one driver. The pieces of the stream may be cut anywhere. */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES_MIN);
  /** The unread bytes are those of the buffer from start to end. */
  #start = 0;
  #end = 0;
  /** There is no end of a line before this. */
  #searchedTo = 0;
  #head: { message: DriverMessage; payloadBytes: number } | undefined;
  #lineBytes = 0;
  #payloadBytes = 0;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  /**
   * Takes the next bytes and calls back for each frame that they complete.
   * @throws FrameError
   */
  push(chunk: Buffer): void {
    this.#append(chunk);
    while (this.#readFrame()) {
      // repeats until the rest is not a whole frame
    }
  }

  #append(chunk: Buffer): void {
    const length = this.#end - this.#start;
    if (this.#end + chunk.length > this.#buffer.length) {
      const needed = length + chunk.length;
      const bytes = Math.max(BUFFER_BYTES_MIN, needed > this.#buffer.length / 2 ? 2 * needed : needed);
      const before = this.#buffer;
      this.#buffer = bytes > before.length || bytes * 4 < before.length ? Buffer.allocUnsafe(bytes) : before;
      before.copy(this.#buffer, 0, this.#start, this.#end);
      this.#searchedTo -= this.#start;
      this.#start = 0;
      this.#end = length;
    }
    chunk.copy(this.#buffer, this.#end);
    this.#end += chunk.length;
  }

  #readFrame(): boolean {
    if (this.#head === undefined) {
      const line = this.#readLine();
      if (line === undefined) return false;
      this.#head = parseHead(line);
      this.#payloadBytes += this.#head.payloadBytes;
      if (this.#options.hasBudget && this.#payloadBytes > SCRIPT_PAYLOAD_BYTES_MAX)
        throw new FrameError("the files are too long altogether");
    }
    const { message, payloadBytes } = this.#head;
    if (this.#end - this.#start < payloadBytes) return false;
    this.#head = undefined;
    const payload = this.#buffer.subarray(this.#start, this.#start + payloadBytes);
    this.#moveTo(this.#start + payloadBytes);
    this.#options.onFrame(message, payload);
    return true;
  }

  /** Returns the next line, or undefined when its end has not arrived. */
  #readLine(): string | undefined {
    const found = this.#buffer.subarray(0, this.#end).indexOf(NEWLINE, this.#searchedTo);
    const end = found === -1 ? this.#end : found;
    if (end - this.#start > FRAME_LINE_BYTES_MAX) throw new FrameError("a line is too long");
    this.#searchedTo = end;
    if (found === -1) return undefined;
    this.#lineBytes += end - this.#start;
    if (this.#options.hasBudget && this.#lineBytes > SCRIPT_LINE_BYTES_MAX)
      throw new FrameError("the lines are too long altogether");
    const excess = jsonExcess(this.#buffer.subarray(this.#start, end), { valuesMax: FRAME_VALUES_MAX });
    if (excess !== undefined) throw new FrameError(`a line has ${excess}`);
    const line = this.#buffer.toString("utf8", this.#start, end);
    this.#moveTo(end + 1);
    return line;
  }

  #moveTo(start: number): void {
    this.#start = start;
    this.#searchedTo = start;
  }
}

function parseHead(line: string): { message: DriverMessage; payloadBytes: number } {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch (error) {
    throw new FrameError("a line is not JSON", { cause: error });
  }
  if (hasLongList(document)) throw new FrameError(`a line has a list of more than ${LIST_MAX} entries`);
  const parsed = driverMessageSchema.safeParse(document);
  if (!parsed.success) throw new FrameError("a line is no message of a driver", { cause: parsed.error });
  const payloadBytes = "bytes" in parsed.data ? parsed.data.bytes : 0;
  const bytesMax = parsed.data.type === "step" ? STEP_DOCUMENT_BYTES_MAX : FRAME_PAYLOAD_BYTES_MAX;
  if (payloadBytes > bytesMax) throw new FrameError("a payload is too long");
  return { message: parsed.data, payloadBytes };
}

/** True when a list, or the fields of an object, are more than any message has. */
function hasLongList(document: unknown): boolean {
  const pending = [document];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const entries = Object.values(value);
    if (entries.length > LIST_MAX) return true;
    for (const entry of entries) if (typeof entry === "object" && entry !== null) pending.push(entry);
  }
  return false;
}
