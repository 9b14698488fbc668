import { describe, expect, it } from "vitest";
import { FrameLog, frameOf } from "./frame.ts";

const change = (resourceId: string) =>
  ({ name: "change", data: { type: "check", action: "updated", resourceId } }) as const;

it("an event is lines that a browser reads, whatever its data holds", () => {
  const { bytes } = frameOf(change("a\nb\r\n\ndata: c"), "replica:7");
  expect(bytes.toString()).toBe(
    'id: replica:7\nevent: change\ndata: {"type":"check","action":"updated","resourceId":"a\\nb\\r\\n\\ndata: c"}\n\n',
  );
});

describe("the log of events", () => {
  const logOf = (bytesMax: number) => new FrameLog("replica", { firstNumber: 5, bytesMax });

  it("has what came after an event, and nothing after the newest", () => {
    const log = logOf(10_000);
    expect(log.after(log.newestId)).toEqual([]);
    const before = log.newestId;
    const frames = [log.append(change("a")), log.append(change("b"))];
    expect(log.after(before)).toEqual(frames);
    expect(log.after("replica:5")).toEqual([frames[1]]);
    expect(log.after("replica:6")).toEqual([]);
  });

  it.each(["other:5", "replica:3", "replica:7", "replica:x", "", "replica:5:6"])(
    "does not know what came after %j",
    (id) => {
      const log = logOf(10_000);
      log.append(change("a"));
      log.append(change("b"));
      expect(log.after(id)).toBeUndefined();
    },
  );

  it("forgets the oldest beyond its bytes", () => {
    const log = logOf(3 * frameOf(change("a"), "replica:5").bytes.length);
    for (let i = 0; i < 5; i++) log.append(change("a"));
    expect(log.after("replica:6")).toHaveLength(3);
    expect(log.after("replica:5")).toBeUndefined();
  });
});
