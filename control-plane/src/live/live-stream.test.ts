import { type CheckId, LIVE_TOPICS, newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { Caller } from "../platform/http/caller.ts";
import { frameOf } from "./frame.ts";
import { LiveStream, type LiveStreamOptions, type StreamEnd, WAITING_BYTES_MAX } from "./live-stream.ts";

const caller: Caller = {
  kind: "api_key",
  teamId: newId("team"),
  apiKeyId: newId("apiKey"),
  role: "viewer",
};

function open(options: Partial<LiveStreamOptions> = {}) {
  const ends: StreamEnd[] = [];
  const stream = new LiveStream({
    caller,
    topics: new Set(LIVE_TOPICS),
    checkIds: new Set(),
    onEnd: (reason) => ends.push(reason),
    ...options,
  });
  return { stream, ends };
}

const deployment = (service: string) =>
  frameOf({ name: "deployment", data: { deploymentId: newId("deployment"), service, version: "1" } });
const ping = frameOf({ name: "ping", data: { serverTime: "2026-11-23T08:00:00.000Z" } });

describe("a stream", () => {
  it("of a client that does not read is cut, and what waits stays within its bound", () => {
    const { stream, ends } = open();
    const frame = deployment("x".repeat(10_000));
    let sent = 0;
    while (stream.send(frame)) sent++;
    expect(sent).toBe(Math.floor(WAITING_BYTES_MAX / frame.bytes.length));
    expect(ends).toEqual(["slow"]);
    expect(stream.readable.destroyed).toBe(true);
    expect(stream.send(ping)).toBe(false);
  });

  it("passes on what was asked for, and what every client needs", () => {
    const checkId = newId("check");
    const results = (of: CheckId) => frameOf({ name: "results", data: { checkId: of, results: [] } });
    const { stream } = open({ topics: new Set(["results"]), checkIds: new Set([checkId]) });
    expect(
      [deployment("shop"), results(newId("check")), results(checkId), ping].map((frame) =>
        stream.send(frame),
      ),
    ).toEqual([false, false, true, true]);
  });

  it("says why it ends, once", async () => {
    const { stream, ends } = open();
    stream.end("credential");
    stream.end("stopping");
    const text = (await stream.readable.toArray()).join("");
    expect(text).toBe('event: bye\ndata: {"reason":"credential"}\n\n');
    expect(ends).toEqual(["credential"]);
  });

  it("that the client closed is over", async () => {
    const { stream, ends } = open();
    const isClosed = new Promise((resolve) => stream.readable.once("close", resolve));
    stream.readable.destroy();
    await isClosed;
    expect(ends).toEqual(["left"]);
    expect(stream.hasEnded).toBe(true);
  });
});
