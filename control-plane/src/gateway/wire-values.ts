/**
 * Bounds the work of decoding a message from an agent, before it is decoded: goes over its bytes field by field,
 * without making anything of them, and refuses a message with more values than any honest one has. A megabyte of
 * one-byte values would else keep the decoder busy for a second. Linear, and it stops at the bound. Pure.
 */
import { Code, ConnectError } from "@connectrpc/connect";

/** The parts of a message that are looked into, by field number. All other fields are passed over. */
export interface WireLayout {
  /** Fields that hold one message. */
  messages?: Readonly<Record<number, WireLayout>>;
  /** Fields that hold packed varints. */
  packed?: ReadonlySet<number>;
}

/** ResultBatch: columns 2 to 14, details, facts. */
const RESULT_BATCH: WireLayout = {
  packed: new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
  messages: { 16: {}, 17: {} },
};

/** SessionRequest of svc.runner.v1. */
export const SESSION_REQUEST: WireLayout = {
  messages: {
    1: {}, // Hello
    2: {}, // Heartbeat
    3: RESULT_BATCH,
    4: { messages: { 1: {} } }, // GiveBack, its slots
    5: {},
    6: { messages: { 3: {}, 4: RESULT_BATCH } }, // TestRunReport
  },
};

/** PutArtifactRequest of svc.runner.v1. */
export const PUT_ARTIFACT_REQUEST: WireLayout = { messages: { 1: {} } };

/** Values of the largest batch that a session takes, with some to spare: 5,000 results of 13 columns, evidence for each. */
const VALUES_MAX = 100_000;

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** Counts values; fields and the elements of packed fields count alike. */
interface Count {
  values: number;
}

/**
 * Refuses a message that has too many values, or that can't be decoded for a reason that shows on the way.
 * @throws ConnectError INVALID_ARGUMENT
 */
export function assertFewValues(message: Uint8Array, layout: WireLayout): void {
  walk(message, layout, { values: 0 });
}

function walk(bytes: Uint8Array, layout: WireLayout, count: Count): void {
  let at = 0;
  while (at < bytes.length) {
    addValues(count, 1);
    const tag = readVarint(bytes, at);
    at = tag.end;
    const field = tag.value >>> 3;
    switch (tag.value & 7) {
      case VARINT:
        at = readVarint(bytes, at).end;
        break;
      case FIXED_64:
        at += 8;
        break;
      case FIXED_32:
        at += 4;
        break;
      case LENGTH_DELIMITED: {
        const length = readVarint(bytes, at);
        at = length.end + length.value;
        if (at > bytes.length) throw undecodable("it ends within a field");
        const content = bytes.subarray(length.end, at);
        const inner = layout.messages?.[field];
        if (inner) walk(content, inner, count);
        else if (layout.packed?.has(field)) addValues(count, countVarints(content));
        break;
      }
      default:
        throw undecodable("a field has a kind that this protocol does not use");
    }
  }
  if (at > bytes.length) throw undecodable("it ends within a field");
}

/** Counts the varints by their last bytes, which have no high bit. */
function countVarints(packed: Uint8Array): number {
  let varints = 0;
  for (let at = 0; at < packed.length; at++) if ((packed[at] as number) < 0x80) varints++;
  return varints;
}

function addValues(count: Count, values: number): void {
  count.values += values;
  if (count.values > VALUES_MAX)
    throw new ConnectError(`a message holds at most ${VALUES_MAX} values`, Code.InvalidArgument);
}

/**
 * Reads a varint of at most ten bytes.
 * @returns the low 32 bits of its value, and the offset of the next byte
 */
function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) throw undecodable("it ends within a number");
    if (i < 5) value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value: value >>> 0, end: start + i + 1 };
  }
  throw undecodable("a number has more than ten bytes");
}

function undecodable(reason: string): ConnectError {
  return new ConnectError(`a message can't be decoded: ${reason}`, Code.InvalidArgument);
}
