import { describe, expect, it } from "vitest";
import { growthAtDoubleSize } from "../../../test-support/cpu-growth.ts";
import { FrameReader } from "./frame-reader.ts";

function aReader({ hasBudget = false } = {}) {
  const frames: { type: string; payload: string }[] = [];
  const reader = new FrameReader({
    onFrame: ({ type }, payload) => frames.push({ type, payload: payload.toString("latin1") }),
    hasBudget,
  });
  return { reader, frames };
}

const artifact = (bytes: number) =>
  `${JSON.stringify({ type: "artifact", runId: 1, kind: "screenshot", step: null, takenAt: "2026-01-01T00:00:00.000Z", bytes })}\n`;
const started = `${JSON.stringify({ type: "started", runId: 1 })}\n`;

function pushInPieces(reader: FrameReader, bytes: Buffer, piece: number): void {
  for (let at = 0; at < bytes.length; at += piece) reader.push(bytes.subarray(at, at + piece));
}

describe("frames", () => {
  it.each([1, 7, 100, 65_536, 10_000_000])("come out whole from pieces of %i bytes", (piece) => {
    const { reader, frames } = aReader();
    const payload = "0123456789".repeat(20_000);
    const text = started + artifact(payload.length) + payload + started + artifact(0) + started;
    pushInPieces(reader, Buffer.from(text), piece);
    expect(frames.map(({ type }) => type)).toEqual(["started", "artifact", "started", "artifact", "started"]);
    expect(frames[1]?.payload === payload).toBe(true);
  });
});

describe("a hostile sender", () => {
  it("of one byte at a time costs what its bytes cost", () => {
    const growth = growthAtDoubleSize(
      [128 * 1024, 256 * 1024, 512 * 1024],
      (size) => Buffer.alloc(size, "a"),
      (bytes) => pushInPieces(aReader().reader, bytes, 1),
    );
    expect(growth).toBeLessThan(2.5);
  });

  it.each([
    ["a line without end", () => Buffer.alloc(1024 * 1024 + 2, "a"), "a line is too long"],
    ["a list without end", () => Buffer.from(`[${"0,".repeat(2_000)}0]\n`), "more than 1000 entries"],
    ["lists in lists without end", () => Buffer.from(`${"[".repeat(500_000)}\n`), "more than 20000 values"],
    [
      "names without end",
      () => Buffer.from(`[${Array.from({ length: 40_000 }, (_, n) => `{"k${n}":0}`)}]\n`),
      "more than 20000 values",
    ],
    ["a payload without end", () => Buffer.from(artifact(1e9)), "a payload is too long"],
    ["text that is no JSON", () => Buffer.from("hello\n"), "not JSON"],
  ])("of %s is given up", (_name, bytes, message) => {
    expect(() => aReader().reader.push(bytes())).toThrow(message);
  });

  it("of message without end is given up, when it is a script", () => {
    const many = Buffer.from(started.repeat(1_000));
    const flood = (reader: FrameReader) => {
      for (let sent = 0; sent < 20 * 1024 * 1024; sent += many.length) reader.push(many);
    };
    expect(() => flood(aReader({ hasBudget: true }).reader)).toThrow("too long altogether");
  });
});
