import { expect, it } from "vitest";
import type { RunReport } from "./protocol/messages.ts";
import { crashForMemory, endFault, SCRIPT_TOO_LARGE, scriptEnd } from "./run-end.ts";

const crashed = { cause: "crash" } as RunReport;
const ended = (cause: "memory" | "host_memory" | "exited") =>
  ({ end: { cause, message: "it ended" } }) as Parameters<typeof scriptEnd>[0];

it.each([
  ["the machine ran out of memory: the slot is given back", crashed, "host", "out_of_memory"],
  ["nothing was ended for memory: it is the page's doing", crashed, undefined, undefined],
  ["something else failed", { cause: "assertion" } as RunReport, "host", undefined],
] as const)("a page's process ended, and %s", (_, report, shortage, reason) => {
  expect(crashForMemory(report, shortage, SCRIPT_TOO_LARGE)).toEqual(
    reason && { kind: "fault", reason, message: expect.any(String) },
  );
});

it("a page's process that was ended at the run's own limit is reported as too large", () => {
  expect(crashForMemory(crashed, "own", SCRIPT_TOO_LARGE)).toBe(SCRIPT_TOO_LARGE);
});

it("a script's end for the machine's memory is a fault, for its own an error, by itself its own doing", () => {
  expect(scriptEnd(ended("host_memory"), 1)).toBeUndefined();
  expect(endFault({ cause: "host_memory", message: "no memory" })).toMatchObject({ reason: "out_of_memory" });
  expect(scriptEnd(ended("memory"), 1)).toBe(SCRIPT_TOO_LARGE);
  expect(scriptEnd(ended("exited"), 1)).toMatchObject({ status: "error", category: "script" });
});
