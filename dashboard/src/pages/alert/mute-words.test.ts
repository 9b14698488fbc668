import { describe, expect, it } from "vitest";
import { whyNobody } from "./mute-words.ts";

const alert = (instance: object, events: object[] = []) =>
  ({ instance, events }) as unknown as Parameters<typeof whyNobody>[0];

describe("why nobody was notified", () => {
  it.each([
    ["not muted", alert({ muted: false, mutedUntil: null }), /names no channel/],
    [
      "by somebody",
      alert({ muted: true, mutedUntil: null }, [{ type: "muted", actorName: "ada@example.com" }]),
      /ada@example\.com muted it\. Muted until it is lifted\.$/,
    ],
    ["by a window", alert({ muted: true, mutedUntil: null }), /a maintenance window mutes it/],
    [
      "until an instant",
      alert({ muted: true, mutedUntil: "2026-03-01T12:00:00.000Z" }),
      /Muted until .*2026.* \(UTC\)/,
    ],
  ])("%s", (_name, shown, sentence) => {
    expect(whyNobody(shown, "UTC")).toMatch(sentence);
  });
});
