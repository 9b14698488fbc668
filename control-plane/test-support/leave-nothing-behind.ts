/**
 * Setup of the test files that share a process one after the other (vitest.config.ts): what a file changed in the process
 * and did not put back fails that file, by name, instead of a later one.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";

/** Globals that a test could replace, or define for code of a browser. */
const GLOBALS = [
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "queueMicrotask"],
  ...["Date", "performance", "fetch", "console", "crypto", "process", "Buffer"],
  ...["window", "document", "location", "navigator", "localStorage", "sessionStorage", "EventSource"],
];

/** Parts of the process that a test could replace. */
const REPLACEABLE: Record<string, () => unknown> = {
  ...Object.fromEntries(GLOBALS.map((name) => [name, () => Reflect.get(globalThis, name)])),
  "Math.random": () => Math.random,
  "Date.now": () => Date.now,
  "performance.now": () => performance.now,
  "process.cwd()": () => process.cwd(),
  "process.exit": () => process.exit,
  "process.exitCode": () => process.exitCode,
  "process.kill": () => process.kill,
  "process.stdin": () => process.stdin,
  "process.stdout.write": () => process.stdout.write,
  "process.stderr.write": () => process.stderr.write,
  "process.umask()": () => process.umask(),
};

/** Kinds of handles that nobody but a test opens; a pool of kept connections outlives the file that used it. */
const HANDLES = ["TCPServerWrap", "PipeServerWrap", "ProcessWrap", "FSEventWrap"];

const CLOSING_MS_MAX = 20_000;

let before: Map<string, unknown>;
let environmentBefore: NodeJS.ProcessEnv;
let handlesBefore: Record<string, number>;

beforeAll(() => {
  before = new Map(Object.entries(REPLACEABLE).map(([name, read]) => [name, read()]));
  environmentBefore = { ...process.env };
  handlesBefore = openHandles();
});

afterAll(async () => {
  const left = [
    ...(vi.isFakeTimers() ? ["fake timers"] : []),
    ...[...before].filter(([name, value]) => REPLACEABLE[name]?.() !== value).map(([name]) => name),
  ];
  const environmentLeft = { ...process.env };
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  expect(left, "replaced by this file and not put back").toEqual([]);
  expect(environmentLeft, "environment after this file").toEqual(environmentBefore);
  expect(await handlesOnceClosed(), "servers, children and watchers that this file left open").toEqual(
    handlesBefore,
  );
});

/** Returns how many handles of each of the HANDLES are open; none is 0. */
function openHandles(): Record<string, number> {
  const counts = Object.fromEntries(HANDLES.map((kind) => [kind, 0]));
  for (const kind of process.getActiveResourcesInfo())
    if (kind in counts) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Returns the open handles once they are those of before, or after CLOSING_MS_MAX: closing takes a while. */
async function handlesOnceClosed(): Promise<Record<string, number>> {
  const endAtMs = performance.now() + CLOSING_MS_MAX;
  for (;;) {
    const handles = openHandles();
    if (HANDLES.every((kind) => handles[kind] === handlesBefore[kind]) || performance.now() > endAtMs)
      return handles;
    await delay(20);
  }
}
