import { Code, ConnectError } from "@connectrpc/connect";
import { newId } from "@svc/contract";
import { expect, test } from "vitest";
import { ReadShares } from "./read-shares.ts";
import { boundedMessages, type MessageSource } from "./request-messages.ts";

const bounds = { bytesMax: 1_000_000, layout: {} };

function aSource(pieces: Iterable<Uint8Array>): MessageSource {
  return {
    async *[Symbol.asyncIterator]() {
      yield* pieces;
    },
    destroy: () => undefined,
  };
}

const message = (content: Uint8Array, flags = 0, announced = content.length) => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(announced, 1);
  return Buffer.concat([prefix, content]);
};

/** A message of one unknown field. */
const aMessage = (bytes: number) => {
  const content = Buffer.alloc(bytes);
  content.set([0xfa, 1, 0x80, 0x80, 0x80, 0]);
  content.writeUInt8(((bytes - 6) & 127) | 128, 2);
  content.writeUInt8((((bytes - 6) >>> 7) & 127) | 128, 3);
  content.writeUInt8(((bytes - 6) >>> 14) | 128, 4);
  return message(content);
};

function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(pieces: Iterable<Uint8Array>): Promise<Buffer[]> {
  const whole: Buffer[] = [];
  const share = new ReadShares().of(newId("team"));
  for await (const one of boundedMessages({ source: aSource(pieces), bounds, share }))
    whole.push(Buffer.from(one));
  return whole;
}

const failure = (pieces: Iterable<Uint8Array>) => read(pieces).then(() => undefined, ConnectError.from);

test.each([1_000, 16_384, 1_000_000])(
  "messages come whole, however they are cut (pieces of %i bytes)",
  async (size) => {
    const sent = [aMessage(50_000), message(Buffer.alloc(0)), aMessage(300), aMessage(200_000)];
    expect(await read(inPieces(Buffer.concat(sent), size))).toEqual(sent);
  },
);

test.each([
  [
    "too long, before any of it is there",
    [message(Buffer.alloc(0), 0, 1_000_001)],
    Code.ResourceExhausted,
    "largest is 1000000",
  ],
  ["compressed", [message(Buffer.alloc(10), 1)], Code.Unimplemented, "not compressed"],
  ["cut off", [aMessage(1_000).subarray(0, 900)], Code.InvalidArgument, "ends within a message"],
  ["in single bytes without end", inPieces(aMessage(100_000), 1), Code.ResourceExhausted, "small pieces"],
])("a message that is %s ends the stream", async (_name, pieces, code, text) => {
  expect(await failure(pieces)).toMatchObject({ code, rawMessage: expect.stringContaining(text) });
});

test("the memory of a message follows what has come of it, not what it announces", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const open = Array.from({ length: 200 }, () => {
    const source: MessageSource = {
      async *[Symbol.asyncIterator]() {
        yield message(Buffer.of(1), 0, 1_000_000);
        await new Promise(() => {});
      },
      destroy: () => undefined,
    };
    const share = new ReadShares().of(undefined);
    const messages = boundedMessages({ source, bounds, share });
    void messages.next();
    return messages;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  expect(open).toHaveLength(200);
});
