import zlib from "node:zlib";
import fc from "fast-check";
import pMap from "p-map";
import { expect, it, vi } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../../contract/test-support/fuzz.ts";
import { aContext, aRequest } from "../../test-support/builders.ts";
import { rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

/** One of each kind of outcome, so that every run of the test reaches every part of the reader. */
const EXAMPLES: [Buffer, "end" | "reset" | "split"][] = [
  [Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), "split"],
  [Buffer.from("HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n"), "end"],
  [Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), "reset"],
  [Buffer.from("ICY 200 OK\r\n\r\n"), "end"],
];

/** Pieces of responses, so that many inputs get past the first line. */
const startLine = fc.constantFrom(
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.0 200\r\n",
  "HTTP/1.1 204 No Content\r\n",
  "HTTP/1.1 304 Not Modified\r\n",
  "HTTP/1.1 302 Found\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\n",
  "HTTP/1.1 999 ?\r\n",
  "HTTP/2 200\r\n",
  "ICY 200 OK\r\n",
);
const header = fc.oneof(
  fc.constantFrom(
    "Content-Length: 5\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Content-Encoding: gzip\r\n",
    "Content-Encoding: br\r\n",
    "Content-Encoding: zstd\r\n",
    "Content-Encoding: deflate, deflate, deflate, deflate\r\n",
    "Content-Type: text/html; charset=utf-16be\r\n",
    'Content-Type: application/json; charset="\r\n',
    "Location: //\r\n",
    "Location: http://[::1\r\n",
    "Set-Cookie: ;;=;=\r\n",
    "Connection: upgrade\r\nUpgrade: h2c\r\n",
    "Trailer: X\r\n",
    ": empty\r\n",
    " folded\r\n",
    "No colon\r\n",
  ),
  fc
    .tuple(fc.string({ maxLength: 10 }), fc.string({ unit: "binary", maxLength: 30 }))
    .map((pair) => `${pair.join(": ")}\r\n`),
);
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const body = fc.oneof(
  bytes,
  bytes.map((raw) => zlib.gzipSync(raw)),
  bytes.map((raw) => zlib.brotliCompressSync(raw)),
  bytes.map((raw) => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), raw])),
  fc
    .constantFrom("5\r\nhello\r\n0\r\n\r\n", "fffffffff\r\n", "0\r\nX: y\r\n\r\n", "hello", "")
    .map((text) => Buffer.from(text)),
);
const response = fc.oneof(
  { weight: 1, arbitrary: bytes },
  {
    weight: 6,
    arbitrary: fc
      .tuple(startLine, fc.array(header, { maxLength: 5 }), fc.constantFrom("\r\n", "\n", ""), body)
      .map(([start, headers, end, content]) =>
        Buffer.concat([Buffer.from(start + headers.join("") + end, "latin1"), content]),
      ),
  },
);
const ending = fc.constantFrom("end", "reset", "split") as fc.Arbitrary<"end" | "reset" | "split">;

it(
  "every response, however broken, becomes a result in bounded time",
  async () => {
    const inputs = [...EXAMPLES, ...fc.sample(fc.tuple(response, ending), FUZZ_INPUTS)];
    const host = await rawServer((socket) => {
      socket.once("data", (request) => {
        const index = Number(/^GET \/(\d+)/.exec(request.toString("latin1"))?.[1] ?? 0);
        const [answer, how] = inputs[index] as [Buffer, string];
        const middle = how === "split" ? answer.length >> 1 : answer.length;
        socket.write(answer.subarray(0, middle));
        setImmediate(() => {
          if (how === "reset") socket.resetAndDestroy();
          else socket.end(answer.subarray(middle));
        });
      });
    });
    const assertions = [
      { type: "body_contains", value: "hello" },
      { type: "body_json_path", path: "a.b", operator: "exists" },
      { type: "header_value", header: "Content-Type", operator: "exists" },
    ];
    const context = aContext();
    const kinds = new Map<string, number>();
    const runInput = async (index: number) => {
      const config = { url: `http://${host}/${index}`, maxRedirects: 1, timeoutMs: 20_000, assertions };
      const outcome = await runProbe(aRequest(config), context);
      if (outcome.kind !== "result") throw new Error(`input ${index}: ${outcome.message}`);
      expect(outcome.status, `input ${index}`).not.toBe("timeout");
      expect(() => JSON.stringify(outcome)).not.toThrow();
      if (outcome.status !== "success") expect(outcome.detail?.errorMessage).toBeTruthy();
      const kind = `${outcome.status} ${outcome.detail?.errorCategory}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    };
    await pMap([...inputs.keys()], runInput, { concurrency: 20 });
    // The inputs are worth something only when they reach every part of the reader.
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining(["failure assertion", "error protocol", "error connect", "failure http"]),
    );
    await vi.waitFor(() => expect(openSockets()).toBe(0), 10_000);
  },
  FUZZ_TIMEOUT_MS,
);

/** Of both ends, since the server runs in this process too. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length;
}
