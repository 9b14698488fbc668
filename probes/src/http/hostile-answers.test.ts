import type { Socket } from "node:net";
import zlib from "node:zlib";
import { factTypes, resultDetailSchema } from "@svc/contract";
import fc from "fast-check";
import pMap from "p-map";
import { expect, it } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../../contract/test-support/fuzz.ts";
import { aContext, aRequest } from "../../test-support/builders.ts";
import { LoopHold, settledWithin } from "../../test-support/loop-patience.ts";
import { rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { DETAIL_BYTES_MAX } from "../run/fit-detail.ts";

/** Answers that are tried: each may last for as long as a run, so they are few beside those of `fuzz.test.ts`. */
const ANSWERS = Math.ceil(FUZZ_INPUTS / 40);
const SEED = 20_26;
const TIMEOUT_MS = 1_000;
/** Time that a run may take beyond its limit, the turns of assertions included. */
const OVERTIME_MS = 2_000;
const AT_ONCE = 10;
const MIB = 1024 * 1024;
/** Most memory that answers may take: ten runs with bodies of 10 MiB, decoded, as text and parsed. */
const MEMORY_BYTES_MAX = 1_000 * MIB;
/** Generous, as the servers work in this thread, too. Faults of this kind took seconds. */
const HOLD_MS_MAX = 1_000;

/** Writes an answer to a request, in its own time, until the socket is closed. */
type HostileAnswer = (socket: Socket) => void;

const OK = "HTTP/1.1 200 OK\r\n";

/** Writes a piece again and again, as fast as it is read, or once in a while. */
function repeat(socket: Socket, piece: Buffer | string, everyMs = 0): void {
  const write = (): void => {
    if (socket.destroyed) return;
    const mayGoOn = socket.write(piece);
    if (everyMs > 0) setTimeout(write, everyMs);
    else if (mayGoOn) setImmediate(write);
    else socket.once("drain", write);
  };
  write();
}

const whole =
  (head: string, body: Buffer | string = ""): HostileAnswer =>
  (socket) => {
    socket.write(head);
    socket.end(body);
  };
const endless =
  (head: string, piece: Buffer | string, everyMs = 0): HostileAnswer =>
  (socket) => {
    socket.write(head);
    repeat(socket, piece, everyMs);
  };
const typed = (type: string, body: Buffer | string): HostileAnswer =>
  whole(`${OK}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body);
const coded = (coding: string, body: Buffer): HostileAnswer =>
  whole(`${OK}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`, body);

/** Compressed once: the reader is examined, not the writer. */
const ZEROS = Buffer.alloc(64 * MIB);
const ZSTD_FRAME = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x70, 9, 0, 0, 65]);
const ZSTD_SKIPPABLE_FRAME = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
const BOMBS: HostileAnswer[] = [
  coded("gzip", zlib.gzipSync(ZEROS, { level: 1 })),
  coded("deflate", zlib.deflateSync(ZEROS, { level: 1 })),
  coded("br", zlib.brotliCompressSync(ZEROS, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })),
  coded("gzip, gzip", zlib.gzipSync(zlib.gzipSync(ZEROS, { level: 1 }))),
  coded("zstd", Buffer.concat(Array(100_000).fill(ZSTD_FRAME))),
  coded("zstd", Buffer.concat(Array(80_000).fill(ZSTD_SKIPPABLE_FRAME))),
];

const upTo = (max: number) => fc.integer({ min: 1, max });
const HEADS: fc.Arbitrary<HostileAnswer>[] = [
  upTo(20_000).map((n) => whole(`${OK}${"A: b\r\n".repeat(n)}\r\n`)),
  upTo(MIB).map((n) => whole(`${OK}X: ${"x".repeat(n)}\r\n\r\n`)),
  upTo(5_000).map((n) => whole(`${OK}${"Set-Cookie: a=b; Path=/; ;;\r\n".repeat(n)}\r\n`)),
  upTo(MIB).map((n) => whole(`HTTP/1.1 200 ${"O".repeat(n)}\r\n\r\n`)),
  fc.constant(endless(OK, "X-Drip: 1\r\n", 40)),
  fc.constant(endless(OK, "x".repeat(1_000))),
  fc.constant(endless("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n")),
  upTo(14_000).map((n) => whole(`HTTP/1.1 302 Found\r\nLocation: /?${"a".repeat(n)}\r\n\r\n`)),
  fc.constant(whole("HTTP/1.1 307 Found\r\nLocation: /0\r\nSet-Cookie: a=b\r\n\r\n")),
];
const BODIES: fc.Arbitrary<HostileAnswer>[] = [
  fc.constantFrom(0, 30).map((everyMs) => endless(`${OK}\r\n`, "x", everyMs)),
  fc.constant(endless(`${OK}\r\n`, Buffer.alloc(65_536))),
  fc
    .constantFrom("1\r\na\r\n", `1;${"e".repeat(500)}\r\na\r\n`, "00000000000000000001\r\na\r\n")
    .map((chunk) => endless(`${OK}Transfer-Encoding: chunked\r\n\r\n`, chunk.repeat(50))),
  upTo(3_000).map((n) => whole(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${"T: r\r\n".repeat(n)}\r\n`)),
  upTo(MIB / 2).map((n) => typed("application/json", `${"[".repeat(n)}${"]".repeat(n)}`)),
  upTo(MIB / 8).map((n) => typed("application/json", `{${'"a":{'.repeat(n)}`)),
  upTo(MIB / 8).map((n) => typed("application/json", `{${'"a":1,'.repeat(n)}"b":2}`)),
  upTo(MIB / 8).map((n) => typed("text/html", "<div ".repeat(n))),
  upTo(30_000).map((n) => typed("text/html", '<script type="application/ld+json">{}</script>'.repeat(n))),
  upTo(MIB / 8).map((n) => typed('text/xml; charset="utf-16', "<a>".repeat(n))),
  upTo(MIB).map((n) => typed("text/plain; charset=windows-1252", Buffer.alloc(n, 0x80))),
  upTo(MIB).map((n) => typed(`text/plain; ${"a=b; ".repeat(2_000)}`, "\u0000".repeat(n))),
  upTo(30_000).map((n) => typed("text/event-stream", "data: {}\n\r".repeat(n))),
];

it(
  `${ANSWERS} hostile answers: each run ends in time with a valid outcome, and neither holds the loop nor takes the memory`,
  async () => {
    const kinds = fc.oneof(fc.oneof(...HEADS), fc.oneof(...BODIES));
    const answers = [...BOMBS, ...fc.sample(kinds, { numRuns: ANSWERS, seed: SEED })];
    const host = await rawServer((socket) => {
      socket.once("data", (request) => {
        const index = Number(/^GET \/(\d+)/.exec(request.toString("latin1"))?.[1] ?? 0);
        (answers[index] as HostileAnswer)(socket);
      });
    });
    const assertions = [
      { type: "body_contains", value: "not there" },
      { type: "body_json_path", path: "a.b[0]", operator: "exists" },
      { type: "body_matches", pattern: "not the[r]e" },
      { type: "header_value", header: "Content-Type", operator: "exists" },
    ];
    const context = aContext();
    const memory = new MemoryWatch();
    const hold = new LoopHold();
    await pMap(
      [...answers.keys()],
      async (index) => {
        const request = aRequest({ url: `http://${host}/${index}`, timeoutMs: TIMEOUT_MS, assertions });
        const what = `answer ${index}`;
        const outcome = await settledWithin(TIMEOUT_MS + OVERTIME_MS, what, runProbe(request, context));
        // On a machine that is too busy for an honest judgement the run ends with a fault.
        if (outcome.kind === "fault") return expect(outcome.reason, what).toBe("capacity");
        expect(outcome.status, what).not.toBe("success");
        expect(() => resultDetailSchema.parse(outcome.detail), what).not.toThrow();
        expect(Buffer.byteLength(JSON.stringify(outcome.detail)), what).toBeLessThanOrEqual(DETAIL_BYTES_MAX);
        for (const { type, schema } of factTypes.members)
          if (outcome.facts?.[type]) schema.parse(outcome.facts[type]);
      },
      { concurrency: AT_ONCE },
    );
    expect(memory.end()).toBeLessThan(MEMORY_BYTES_MAX);
    expect(hold.end()).toBeLessThan(HOLD_MS_MAX);
  },
  FUZZ_TIMEOUT_MS,
);

/** Watches how much memory the process takes beyond what it has at the beginning. */
class MemoryWatch {
  readonly #before = process.memoryUsage.rss();
  #mostBytes = 0;
  readonly #timer = setInterval(() => {
    this.#mostBytes = Math.max(this.#mostBytes, process.memoryUsage.rss() - this.#before);
  }, 20);

  /** Ends the watch. @returns the most, bytes */
  end(): number {
    clearInterval(this.#timer);
    return this.#mostBytes;
  }
}
