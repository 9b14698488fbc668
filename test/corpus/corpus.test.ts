/** The corpus of recorded outages, and the share of them whose true cause is named first. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { CAUSES } from "./causes.ts";
import { MISSES } from "./misses.ts";
import { halfOf, OUTAGES, readRecordings } from "./recording.ts";
import { SCENARIOS } from "./scenarios/registry.ts";
import { allAnswers, missRows, shareRows } from "./shares.ts";

const BYTES_MAX = 20 * 1024;
const recordings = readRecordings();

describe("the corpus", () => {
  it("has one recording of each scenario, and no other", () => {
    expect(recordings.map(({ id }) => id)).toEqual(SCENARIOS.map(({ id }) => id).sort());
  });

  it("has at least 60 recordings, of every cause, none larger than 20 KiB", () => {
    expect(recordings.length).toBeGreaterThanOrEqual(60);
    expect(new Set(recordings.map(({ cause }) => cause))).toEqual(new Set(Object.keys(CAUSES)));
    for (const { id } of recordings)
      expect(statSync(join(OUTAGES, `${id}.json`)).size, id).toBeLessThan(BYTES_MAX);
  });

  it("has the cause and the sentence of its scenario in each recording", () => {
    const labelOf = ({ id, cause, broken }: { id: string; cause: string; broken: string }) => ({
      id,
      cause,
      broken,
    });
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect(recordings.map(labelOf)).toEqual(SCENARIOS.map(labelOf).sort(byId));
  });

  it("is divided into halves of nearly one size", () => {
    const training = recordings.filter(({ id }) => halfOf(id) === "training").length;
    expect(Math.abs(2 * training - recordings.length)).toBeLessThan(recordings.length / 5);
  });
});

describe("the true cause is named first", () => {
  const answers = allAnswers();

  const page = readFileSync(join(ROOT, "docs/analysis.md"), "utf8");

  it("in the shares that the docs say", () => {
    for (const row of shareRows(answers)) expect(page).toContain(`| ${row.join(" | ")} |`);
  });

  it.each(["insight", "hypothesis"] as const)("by the %s in at least 85 % of each half", (by) => {
    for (const half of ["training", "held out"] as const) {
      const own = answers.filter((answer) => answer.by === by && answer.half === half);
      const named = own.filter(({ namesCause }) => namesCause).length;
      expect(named / own.length, half).toBeGreaterThanOrEqual(0.85);
    }
  });

  it("but for the recordings that the docs list, each with the reason", () => {
    const rows = missRows(answers);
    expect(rows.map(([id]) => id)).toEqual(Object.keys(MISSES).sort());
    for (const row of rows) expect(page).toContain(row.at(-1));
  });

  it("and nothing is blamed on recordings with which nothing is wrong, but where the docs say so", () => {
    const blamed = answers.filter(
      ({ recording, by, type }) =>
        by === "insight" && recording.cause === "nothing_wrong" && type !== "healthy",
    );
    expect(blamed.filter(({ recording }) => !(recording.id in MISSES))).toEqual([]);
  });
});
