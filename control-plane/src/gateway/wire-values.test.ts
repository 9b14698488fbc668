import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { HelloSchema, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { describe, expect, test } from "vitest";
import { aBatch } from "../../test-support/fleet.ts";
import { assertFewValues, SESSION_REQUEST } from "./wire-values.ts";

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ checkKey: i + 1, locationKey: 300, slotMs: 1_700_000_000_000 }));

const batchBytes = (count: number, evidence = 0) =>
  toBinary(
    SessionRequestSchema,
    create(SessionRequestSchema, {
      message: {
        case: "resultBatch",
        value: aBatch(1, rows(count), {
          details: Array.from({ length: evidence }, (_, index) => ({
            $typeName: "svc.runner.v1.ResultDetail" as const,
            index,
            detailJson: "{}",
          })),
        }),
      },
    }),
  );

/** A field that holds bytes. */
function field(number: number, content: Uint8Array): Buffer {
  const length = [];
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  const tag = (number << 3) | 2;
  return Buffer.concat([
    Buffer.from(tag > 127 ? [(tag & 127) | 128, tag >>> 7] : [tag]),
    Buffer.from(length),
    content,
  ]);
}

const refused = (bytes: Uint8Array) => {
  try {
    assertFewValues(bytes, SESSION_REQUEST);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("what agents send passes", () => {
  test.each([
    [
      "a Hello",
      toBinary(
        SessionRequestSchema,
        create(SessionRequestSchema, {
          message: {
            case: "hello",
            value: create(HelloSchema, { protocolVersion: 1, capabilities: ["http"], agentSentAtMs: 1n }),
          },
        }),
      ),
    ],
    ["an agent's batch", batchBytes(500, 500)],
    ["the largest batch that a session takes", batchBytes(5_000, 5_000)],
    ["an empty message", new Uint8Array()],
    ["a field of a later version", field(90, Buffer.alloc(1_000_000))],
  ])("%s", (_name, bytes) => expect(refused(bytes)).toBeUndefined());
});

describe("a message is refused before it is decoded when it", () => {
  const ones = Buffer.alloc(200_000, 1);
  test.each([
    ["has a column of very many values", field(3, field(2, ones)), "at most 100000 values"],
    [
      "splits a column into many",
      field(3, Buffer.concat(Array.from({ length: 60 }, () => field(2, ones.subarray(0, 2_000))))),
      "at most 100000 values",
    ],
    ["consists of unknown fields", Buffer.alloc(300_000, Buffer.of(0x78, 0)), "at most 100000 values"],
    [
      "repeats a field of a detail",
      field(3, field(16, Buffer.alloc(300_000, Buffer.of(8, 1)))),
      "at most 100000 values",
    ],
    ["nests groups", Buffer.alloc(100_000, 0x0b), "does not use"],
    ["ends within a field", Buffer.of(0x1a, 5, 0), "ends within a field"],
    ["ends within a number", Buffer.of(0x08, 0x80), "ends within a number"],
    ["has a number without an end", Buffer.alloc(100, 0xff), "more than ten bytes"],
    ["announces more than there is", Buffer.from("1affffffff0f00", "hex"), "ends within a field"],
  ])("%s", (_name, bytes, text) =>
    expect(refused(bytes)).toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining(text),
    }),
  );
});
