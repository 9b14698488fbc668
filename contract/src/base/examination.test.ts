import { expect, it, vi } from "vitest";
import { examineAll, findingsText, found, hasProblem } from "./examination.ts";

it("examines at once, and shows findings by the order of the examinations", async () => {
  let begun = 0;
  let release = () => {};
  const bothBegan = new Promise<void>((resolve) => {
    release = resolve;
  });
  const examine = (finding: ReturnType<typeof found.ok>) => async () => {
    if (++begun === 2) release();
    await bothBegan;
    return [finding];
  };
  const findings = await examineAll(
    [
      { area: "database", examine: examine(found.ok("it answers")) },
      { area: "smtp", examine: examine(found.warning("none is set", "set one")) },
    ],
    { subject: undefined, timeLimitMs: 60_000 },
  );
  expect(hasProblem(findings)).toBe(false);
  expect(findingsText(findings)).toBe(
    [
      "database  ok       it answers",
      "smtp      warning  none is set",
      "                   to do: set one",
      "",
      "1 warning",
    ].join("\n"),
  );
});

it("takes an examination that fails, and one that never ends, for problems of their areas", async () => {
  vi.useFakeTimers();
  try {
    let signalOfHung: AbortSignal | undefined;
    const examining = examineAll(
      [
        { area: "disk", examine: () => Promise.reject(new Error("no such disk")) },
        {
          area: "clock",
          examine: (_subject: undefined, signal) => {
            signalOfHung = signal;
            return new Promise(() => undefined);
          },
        },
        { area: "smtp", examine: async () => [found.skipped("nothing")] },
      ],
      { subject: undefined, timeLimitMs: 5_000 },
    );
    await vi.advanceTimersByTimeAsync(5_000);
    const findings = await examining;
    expect(findings.map(({ area, level }) => [area, level])).toEqual([
      ["disk", "problem"],
      ["clock", "problem"],
      ["smtp", "skipped"],
    ]);
    expect(findings[0]?.message).toContain("no such disk");
    expect(findings[1]?.message).toContain("within 5 s");
    expect(signalOfHung?.aborted).toBe(true);
    expect(findingsText(findings)).toMatch(/\n2 problems$/);
  } finally {
    vi.useRealTimers();
  }
});

it("lets nothing that others wrote command the terminal", () => {
  const text = findingsText([
    { area: "agents", ...found.warning("host \u001b[31mred\u001b[0m\nx", "look\r\n") },
  ]);
  expect(["\u001b", "\r"].filter((control) => text.includes(control))).toEqual([]);
  expect(text.split("\n")).toHaveLength(4);
});

it("says so where nothing is wrong", () => {
  expect(findingsText([{ area: "disk", ...found.ok("there is space") }])).toMatch(/\n\nno problem found$/);
});
