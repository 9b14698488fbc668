import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { listenForInterruption } from "./interruption.ts";

it.each([
  ["linux", "SIGINT"],
  ["linux", "SIGTERM"],
  ["darwin", "SIGTERM"],
  ["win32", "SIGINT"],
  ["win32", "SIGBREAK"],
  ["win32", "SIGHUP"],
] as const)("%s: the first %s asks to end, the second ends at once", (platform, signal) => {
  const source = new EventEmitter();
  const endNow = vi.fn();
  const interruption = listenForInterruption(source, platform, endNow);
  source.emit(signal);
  expect([interruption.signal.aborted, endNow.mock.calls.length]).toEqual([true, 0]);
  source.emit(signal);
  expect(endNow).toHaveBeenCalledOnce();
  interruption.end();
  expect(source.eventNames()).toEqual([]);
});

it("a closed terminal ends a command on Linux as it ends any other", () => {
  const source = new EventEmitter();
  listenForInterruption(source, "linux", () => {});
  expect(source.listenerCount("SIGHUP")).toBe(0);
});

it("Ctrl+C at a question counts like any other, without a signal to the process: on Windows that would kill it", () => {
  const endNow = vi.fn();
  const interruption = listenForInterruption(new EventEmitter(), "win32", endNow);
  interruption.interrupt();
  expect([interruption.signal.aborted, endNow.mock.calls.length]).toEqual([true, 0]);
});
