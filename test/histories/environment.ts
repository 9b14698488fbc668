/**
 * Keeps a history from its environment: while one runs, our code that reads a clock of the machine, draws chance or starts a
 * timer of the process gets an error. Other code, such as the test runner's, gets what it asks for.
 */
import { sep } from "node:path";
import { ROOT } from "../harness/control-plane.ts";

const READINGS = [
  [Date, "now"],
  [performance, "now"],
  [Math, "random"],
  [globalThis, "setTimeout"],
  [globalThis, "setInterval"],
  [globalThis, "setImmediate"],
] as const;

/** Runs the work without the environment's clocks, chance and timers. */
export async function withoutEnvironment<T>(work: () => Promise<T>): Promise<T> {
  const originals = READINGS.map(([owner, name]) => {
    const holder = owner as unknown as Record<string, (...values: unknown[]) => unknown>;
    const original = holder[name] as (...values: unknown[]) => unknown;
    holder[name] = (...values) => {
      if (isCalledByUs()) throw new Error(`a history called ${name} of its environment`);
      return original.apply(owner, values);
    };
    return () => {
      holder[name] = original;
    };
  });
  try {
    return await work();
  } finally {
    for (const restore of originals) restore();
  }
}

/** True when the nearest caller outside of this file is code of the project. */
function isCalledByUs(): boolean {
  const caller = new Error().stack?.split("\n")[3] ?? "";
  return caller.includes(ROOT) && !caller.includes(`${sep}node_modules${sep}`);
}
