/**
 * Decodes Zstandard on Node versions whose zlib can't (before 22.15). The JavaScript decoder is bounded from outside:
 * window sizes are checked before it allocates them, and it yields to the event loop between blocks.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Decompress } from "fzstd";

/** Largest window. RFC 9659 allows senders 8 MiB; a single-segment frame needs as much as its content has. */
const WINDOW_BYTES_MAX = 16 * 1024 * 1024;
const FRAME_MAGIC = 0xfd2fb528;
/** The 16 magic numbers 0x184D2A50 to 0x184D2A5F, without their last hex digit. */
const SKIPPABLE_MAGIC = 0x184d2a5;
/** Frames of a body, skippable ones included. Compressors make one, or one for each MiB; each costs the decoder memory. */
const FRAMES_MAX = 1_000;
/** Blocks of a body. A compressor that is flushed every 100 bytes makes as many for the longest body. */
const BLOCKS_MAX = 100_000;
/** Blocks per turn of the event loop. A block holds at most 128 KiB, so a turn makes at most 1 MiB. */
const BLOCKS_PER_TURN = 8;

/**
 * Decodes frames.
 * @param options.isPartial true when the input is the beginning of a longer one, so that its end may be missing
 * @returns the decoded bytes, cut when there would be more than `bytesMax`
 * @throws Error when the data is malformed
 */
export async function decodeZstd(
  input: Buffer,
  options: { bytesMax: number; isPartial: boolean },
): Promise<{ bytes: Buffer; wasCut: boolean }> {
  const { bytesMax, isPartial } = options;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const frame of framesOf(input, isPartial)) {
    const decoder = new Decompress((chunk) => {
      chunks.push(chunk.slice()); // the decoder reuses its memory
      length += chunk.length;
    });
    let start = frame.start;
    for (const [index, end] of frame.blockEnds.entries()) {
      const isLast = index === frame.blockEnds.length - 1;
      if (!isLast && index % BLOCKS_PER_TURN !== BLOCKS_PER_TURN - 1) continue;
      decoder.push(input.subarray(start, end), false);
      start = end;
      if (length > bytesMax) return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), wasCut: true };
      await nextTurn();
    }
  }
  return { bytes: Buffer.concat(chunks), wasCut: isPartial };
}

interface Frame {
  start: number;
  /** The offset after each block. The last one is the end of the frame. */
  blockEnds: number[];
}

/** Finds frames and blocks without decoding them (RFC 8878, section 3.1). */
function* framesOf(input: Buffer, isPartial: boolean): Generator<Frame> {
  let offset = 0;
  let frames = 0;
  let blocks = 0;
  const has = (bytes: number): boolean => {
    if (offset + bytes <= input.length) return true;
    if (isPartial) return false;
    throw new Error("unexpected end of data");
  };
  while (offset < input.length) {
    if (!has(8)) return;
    if (++frames > FRAMES_MAX) throw new Error(`has more than ${FRAMES_MAX} frames`);
    const magic = input.readUInt32LE(offset);
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      const bytes = 8 + input.readUInt32LE(offset + 4);
      if (!has(bytes)) return;
      offset += bytes;
      continue;
    }
    if (magic !== FRAME_MAGIC) throw new Error("not Zstandard data");
    const start = offset;
    const flags = input[offset + 4] as number;
    if (!has(headerBytes(flags))) return;
    if (windowBytes(input, offset + 5, flags) > WINDOW_BYTES_MAX)
      throw new Error(`needs a window of more than ${WINDOW_BYTES_MAX} bytes`);
    offset += headerBytes(flags);
    const blockEnds: number[] = [];
    let isLast = false;
    while (!isLast && has(3)) {
      const header = input.readUIntLE(offset, 3);
      const isRunLength = ((header >> 1) & 3) === 1;
      if (!has(3 + (isRunLength ? 1 : header >> 3))) break;
      offset += 3 + (isRunLength ? 1 : header >> 3);
      isLast = (header & 1) === 1;
      blockEnds.push(offset);
      if (++blocks > BLOCKS_MAX) throw new Error(`has more than ${BLOCKS_MAX} blocks`);
    }
    const checksumBytes = flags & 4 ? 4 : 0;
    if (isLast && has(checksumBytes)) {
      offset += checksumBytes;
      blockEnds[blockEnds.length - 1] = offset;
    }
    if (blockEnds.length > 0) yield { start, blockEnds };
    if (!isLast) return;
  }
}

function contentSizeBytes(flags: number): number {
  const code = flags >> 6;
  return code === 0 ? (flags >> 5) & 1 : 1 << code;
}

function dictionaryIdBytes(flags: number): number {
  return [0, 1, 2, 4][flags & 3] as number;
}

function headerBytes(flags: number): number {
  const windowDescriptor = flags & 0x20 ? 0 : 1;
  return 5 + windowDescriptor + dictionaryIdBytes(flags) + contentSizeBytes(flags);
}

/**
 * Returns the size of the window that a frame needs.
 * @param offset of the byte after the frame header descriptor
 */
function windowBytes(input: Buffer, offset: number, flags: number): number {
  if (flags & 0x20) {
    const at = offset + dictionaryIdBytes(flags);
    const bytes = contentSizeBytes(flags);
    if (bytes === 8) return Number(input.readBigUInt64LE(at));
    return input.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
  }
  const descriptor = input[offset] as number;
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
