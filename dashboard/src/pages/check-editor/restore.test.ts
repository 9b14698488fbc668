import { REDACTED } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { CheckDraft } from "./body.ts";
import { restoredBefore } from "./restore.ts";

const NOW: CheckDraft = {
  type: "http",
  name: "Now",
  enabled: true,
  frequencySeconds: 60,
  locations: ["loc_a"],
  httpConfig: { url: "https://now.example/", headers: { accept: "now", "X-Key": "***" }, method: "POST" },
};

type Changes = Parameters<typeof restoredBefore>[1];
let changes = 0;
const change = (...changedFields: Changes[number]["changedFields"]): Changes[number] => ({
  id: `chg_${changes++}`,
  action: "updated",
  changedFields,
});

describe("a check as it was before a change", () => {
  it("has that change and all newer ones undone, and keeps older ones", () => {
    const older = change({ field: "name", oldValue: "First", newValue: "Second" });
    const chosen = change(
      { field: "name", oldValue: "Second", newValue: "Third" },
      { field: "configJson.headers.accept", oldValue: "then", newValue: "now" },
      { field: "retry", oldValue: { maxAttempts: 2 }, newValue: null },
    );
    const newer = change(
      { field: "name", oldValue: "Third", newValue: "Now" },
      { field: "configJson.method", oldValue: null, newValue: "POST" },
      { field: "locations", oldValue: ["loc_b"], newValue: ["loc_a"] },
    );
    expect(restoredBefore(NOW, [newer, chosen, older], chosen.id)).toEqual({
      draft: {
        ...NOW,
        name: "Second",
        locations: ["loc_b"],
        retry: { maxAttempts: 2 },
        httpConfig: { url: "https://now.example/", headers: { accept: "then", "X-Key": "***" } },
      },
      kept: [],
    });
    expect(NOW.name).toBe("Now");
  });

  it.each([
    [
      "a masked value",
      { field: "configJson.body", oldValue: REDACTED, newValue: REDACTED, redacted: true as const },
      /masked/,
    ],
    [
      "a URL with a masked part",
      {
        field: "configJson.url",
        oldValue: `https://then.example/?token=${REDACTED}`,
        newValue: "https://now.example/",
      },
      /masked/,
    ],
    [
      "a long value",
      { field: "configJson.assertions", oldValue: "[{...", newValue: "[]", truncated: true as const },
      /too long/,
    ],
    ["labels", { field: "labels", oldValue: ["team:a"], newValue: [] }, /they were team:a/],
    ["a name with a dot", { field: "configJson.headers.x.y", oldValue: "then", newValue: "now" }, /found/],
    ["a field of another version", { field: "colour", oldValue: "red", newValue: "blue" }, /found/],
    [
      "a cut name",
      { field: `configJson.headers.${"x".repeat(300)}`.slice(0, 300), oldValue: "a", newValue: "b" },
      /found/,
    ],
  ])("keeps %s as it is now, and says why", (_what, field, why) => {
    const only = change(field, { field: "name", oldValue: "Then", newValue: "Now" });
    expect(restoredBefore(NOW, [only], only.id)).toEqual({
      draft: { ...NOW, name: "Then" },
      kept: [{ field: field.field, why: expect.stringMatching(why) }],
    });
  });

  it("takes from an older change what a newer one does not tell", () => {
    const older = change({ field: "name", oldValue: "Then", newValue: "Long" });
    const newer = change({ field: "name", oldValue: "Lo", newValue: "Now", truncated: true });
    expect(restoredBefore(NOW, [newer, older], older.id)).toEqual({
      draft: { ...NOW, name: "Then" },
      kept: [],
    });
  });

  it("says that an entry with as many fields as the log takes may lack some", () => {
    const fields = Array.from({ length: 200 }, () => ({ field: "name", oldValue: "Then", newValue: "Now" }));
    const only = change(...fields);
    expect(restoredBefore(NOW, [only], only.id)?.kept).toEqual([
      { field: "further fields", why: expect.stringMatching(/200/) },
    ]);
  });

  it("is unknown for a change that is not in the log, or that made the check", () => {
    const made = { ...change(), action: "created" as const };
    expect(restoredBefore(NOW, [made], made.id)).toBeUndefined();
    expect(restoredBefore(NOW, [], "chg_gone")).toBeUndefined();
  });
});
