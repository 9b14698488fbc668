import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveConnection } from "./live-connection.ts";
import type { StreamMessage } from "./message.ts";

/** A stream whose events the test sends. */
class TestSource extends EventTarget {
  readonly CLOSED = 2;
  readyState = 1;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  close(): void {
    this.readyState = this.CLOSED;
  }
  send(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
  hello(): void {
    this.send("hello", { serverTime: "2026-11-23T08:00:00.000Z", pingIntervalMs: 15_000 });
  }
}

let sources: TestSource[];
let messages: StreamMessage[];
let connection: LiveConnection;
const newest = () => sources.at(-1) as TestSource;
const open = () => sources.filter(({ readyState }) => readyState !== 2).map(({ url }) => url);
const kinds = () => messages.map(({ kind }) => kind);

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  messages = [];
  connection = new LiveConnection((message) => messages.push(message), {
    createSource: (url) => {
      const source = new TestSource(url);
      sources.push(source);
      return source as unknown as EventSource;
    },
    nowMs: () => Date.now(),
  });
  connection.follow([]);
});
afterEach(() => {
  connection.close();
  vi.useRealTimers();
});

it("other checks are followed without a gap: the former stream ends when the new one works", () => {
  newest().hello();
  connection.follow(["chk_a", "chk_b"]);
  expect(open()).toEqual(["/api/live", "/api/live?checkId=chk_a,chk_b"]);
  newest().hello();
  expect(open()).toEqual(["/api/live?checkId=chk_a,chk_b"]);
  expect(kinds()).not.toContain("missed");
});

it("a broken connection is left to the browser, which says what it has", () => {
  newest().hello();
  newest().readyState = 0;
  newest().dispatchEvent(new Event("error"));
  expect(connection.state).toMatchObject({ isConnected: false });
  vi.advanceTimersByTime(10_000);
  expect(sources).toHaveLength(1);
  expect(kinds()).not.toContain("refused");
});

it("after a refusal it tries again, slower each time, and says that events may be missed", () => {
  for (const waitMs of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    const before = sources.length;
    newest().readyState = 2;
    newest().dispatchEvent(new Event("error"));
    vi.advanceTimersByTime(waitMs - 1);
    expect(sources).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(sources).toHaveLength(before + 1);
  }
  expect(kinds()).toContain("refused");
  newest().hello();
  expect(kinds().at(-1)).toBe("missed");
});

it("a stream that says nothing for longer than its pings is given up", () => {
  newest().hello();
  vi.advanceTimersByTime(20_000);
  expect(open()).toHaveLength(1);
  vi.advanceTimersByTime(2_500);
  expect(connection.state).toMatchObject({ isConnected: false });
  expect(sources).toHaveLength(2);
  expect(open()).toHaveLength(1);
});

it("once closed it opens nothing", () => {
  newest().readyState = 2;
  newest().dispatchEvent(new Event("error"));
  connection.close();
  vi.advanceTimersByTime(60_000);
  expect(open()).toEqual([]);
  expect(sources).toHaveLength(1);
});
