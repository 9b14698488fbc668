import { describe, expect, it } from "vitest";
import { changesBefore, relevantTo, type ShownAnnotation } from "./triage.ts";

const one = (kind: string, subjectId: string, at = "11:30", until: string | null = null) =>
  ({
    kind,
    subjectId,
    title: `${kind} ${at}`,
    at: `2026-03-01T${at}:00.000Z`,
    until: until === null ? null : `2026-03-01T${until}:00.000Z`,
  }) as unknown as ShownAnnotation;
const incident = { openedAt: "2026-03-01T12:00:00.000Z" };

describe("what may have to do with an incident", () => {
  it.each([
    ["a change of its check", one("config_change", "chk_a"), true],
    ["a change of another check", one("config_change", "chk_b"), false],
    ["a change of a channel", one("config_change", "nch_a"), false],
    ["a change of a location", one("config_change", "loc_a"), true],
    ["any deployment", one("deployment", "dep_a"), true],
  ])("%s", (_name, annotation, isRelevant) => {
    expect(relevantTo([{ checkId: "chk_a" as never }], [annotation])).toHaveLength(isRelevant ? 1 : 0);
  });

  it.each([
    ["an hour before", one("deployment", "dep_a", "11:00"), true],
    ["earlier", one("deployment", "dep_a", "10:59"), false],
    ["at its begin", one("deployment", "dep_a", "12:00"), true],
    ["after it", one("deployment", "dep_a", "12:01"), false],
    ["maintenance that ended in that hour", one("maintenance", "mw_a", "09:00", "11:10"), true],
    ["maintenance that ended earlier", one("maintenance", "mw_a", "09:00", "10:10"), false],
    ["an alert", one("alert", "ainst_a"), false],
  ])("changed in the hour before: %s", (_name, annotation, isChange) => {
    expect(changesBefore(incident, [annotation])).toHaveLength(isChange ? 1 : 0);
  });
});
