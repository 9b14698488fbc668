import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { TeamId } from "@svc/contract";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerList, type Cursor, type PageInput, parseCursor } from "./list-answer.ts";

/** Numbers from 1 up to `count`, each as a record of `recordBytes`; `reads` notes what was read. */
interface Numbers {
  count: number;
  recordBytes: number;
  reads: number[];
  failsAt?: number;
  page: PageInput;
  bytesMax?: number;
}

let numbers: Numbers;
let app: FastifyInstance;

beforeEach(() => {
  numbers = { count: 0, recordBytes: 10, reads: [], page: {} };
});
beforeAll(async () => {
  app = fastify();
  app.get("/numbers", (_request, reply) =>
    answerList<number>(reply, {
      teamId: "team_a" as TeamId,
      name: "numbers",
      source: {
        read: async (after, rowsMax) => {
          const from = Number(after?.[0] ?? 0);
          numbers.reads.push(from);
          if (numbers.failsAt !== undefined && from >= numbers.failsAt) throw new Error("no more");
          const length = Math.min(rowsMax, numbers.count - from, 50);
          return Array.from({ length }, (_, n) => from + n + 1);
        },
        textOf: (n) => JSON.stringify(String(n).padEnd(numbers.recordBytes - 2)),
        cursorOf: (n) => [n],
      },
      page: numbers.page,
      ...(numbers.bytesMax !== undefined && { bytesMax: numbers.bytesMax }),
      extra: { offset: 0 },
    }),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => app.close());

const listed = async () => {
  const { statusCode, body } = await app.inject({ url: "/numbers" });
  expect(statusCode).toBe(200);
  const answer = JSON.parse(body) as { numbers: string[]; offset: number; nextCursor?: string };
  return { ...answer, numbers: answer.numbers.map(Number) };
};
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, n) => from + n);

describe("a list", () => {
  it.each([0, 1, 50, 51, 120])("of %i records is answered whole, without a next page", async (count) => {
    numbers.count = count;
    expect(await listed()).toEqual({ numbers: upTo(count), offset: 0 });
  });

  it("of megabytes is answered whole when nothing limits it", async () => {
    Object.assign(numbers, { count: 1_000, recordBytes: 10_000, bytesMax: Number.POSITIVE_INFINITY });
    expect((await listed()).numbers).toEqual(upTo(1_000));
  });

  it.each([
    ["records", { page: { limit: 30 } }, 30],
    ["bytes", { bytesMax: 475 }, 47],
    ["bytes, with one record at least", { bytesMax: 1 }, 1],
  ])(
    "goes on behind a page that ends by %s; all pages together are the list",
    async (_by, limits, onFirst) => {
      Object.assign(numbers, { count: 100 }, limits);
      const seen: number[] = [];
      for (let pages = 0; pages <= 100; pages++) {
        const { numbers: page, nextCursor } = await listed();
        if (seen.length === 0) expect(page).toHaveLength(onFirst);
        seen.push(...page);
        if (nextCursor === undefined) break;
        numbers.page = { ...numbers.page, after: parseCursor(nextCursor, ["number"]) as Cursor };
      }
      expect(seen).toEqual(upTo(100));
    },
  );

  it("whose first read fails is an error as any other", async () => {
    Object.assign(numbers, { count: 100, failsAt: 0 });
    expect((await app.inject({ url: "/numbers" })).statusCode).toBe(500);
  });

  it("whose later read fails ends the connection instead of passing for complete", async () => {
    Object.assign(numbers, { count: 1_000, recordBytes: 10_000, failsAt: 500, bytesMax: 1e9 });
    const { port } = app.server.address() as AddressInfo;
    await expect(
      fetch(`http://127.0.0.1:${port}/numbers`).then((response) => response.text()),
    ).rejects.toThrow();
  });

  it("is read no faster than the client takes it, and no more once the client is gone", async () => {
    Object.assign(numbers, { count: 100_000, recordBytes: 10_000, bytesMax: 1e12 });
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /numbers HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    // Number of reads at which the kernel's buffers are full: no further one came for a while.
    let before = -1;
    while (before !== numbers.reads.length) {
      before = numbers.reads.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(before * 50 * 10_000).toBeLessThan(100_000 * 10_000 * 0.5);
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(numbers.reads.length - before).toBeLessThan(5);
  });

  it("that many ask for at once is written for a few at a time, and for everybody in the end", async () => {
    Object.assign(numbers, { count: 400, recordBytes: 10_000 });
    const { port } = app.server.address() as AddressInfo;
    const all = await Promise.all(
      upTo(60).map(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/numbers`);
        return ((await response.json()) as { numbers: string[] }).numbers.length;
      }),
    );
    expect(all).toEqual(Array(60).fill(400));
  });
});

describe("a cursor", () => {
  const textOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  it.each([
    ["none of ours", "abc"],
    ["another list's", textOf(["a"])],
    ["of too many values", textOf([1, 2])],
    ["an object", textOf({ 0: 1 })],
    ["a fraction", textOf([1.5])],
  ])("that is %s is refused with the field's name", (_title, text) => {
    expect(() => parseCursor(text, ["number"])).toThrow("Validation failed");
  });

  it("takes instants in the one form that answers have, and texts without NUL", () => {
    expect(parseCursor(textOf(["2026-01-01T00:00:00.000Z"]), ["instant"])).toEqual([
      "2026-01-01T00:00:00.000Z",
    ]);
    expect(() => parseCursor(textOf(["now()"]), ["instant"])).toThrow();
    expect(() => parseCursor(textOf(["a\u0000"]), ["string"])).toThrow();
  });
});
