/** Finds monitors that depend on each other in a circle. */
import type { ConfigPath } from "./positions.ts";
import type { Problem } from "./problem.ts";

/** A monitor as it was written. */
interface WrittenMonitor {
  value: Record<string, unknown>;
  path: ConfigPath;
}

/**
 * Returns a problem for each circle, at the entry that closes it, with the names of its monitors in their order. Linear in the
 * monitors and their entries.
 */
export function circlesAmong(
  monitors: readonly WrittenMonitor[],
  problem: (path: ConfigPath, message: string) => Problem,
): Problem[] {
  const byName = new Map(monitors.map((monitor) => [monitor.value.name, monitor]));
  const done = new Set<unknown>();
  return monitors.flatMap(({ value }) => {
    if (done.has(value.name)) return [];
    return visitFrom(value.name, { byName, done, problem });
  });
}

interface Visit {
  byName: ReadonlyMap<unknown, WrittenMonitor>;
  /** Names of monitors whose dependencies were all visited. */
  done: Set<unknown>;
  problem: (path: ConfigPath, message: string) => Problem;
}

/** Goes down all dependencies of a monitor, without recursion: a chain may be as long as the config. */
function visitFrom(start: unknown, { byName, done, problem }: Visit): Problem[] {
  const problems: Problem[] = [];
  const way: { name: unknown; next: number }[] = [{ name: start, next: 0 }];
  const onWay = new Set([start]);
  for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
    const monitor = byName.get(top.name);
    const dependsOn = monitor?.value.dependsOn;
    const entries: unknown[] = Array.isArray(dependsOn) ? dependsOn : [];
    const index = top.next++;
    if (index >= entries.length) {
      way.pop();
      onWay.delete(top.name);
      done.add(top.name);
      continue;
    }
    const name = entries[index];
    if (onWay.has(name)) {
      const names = way.map((one) => one.name);
      const circle = [...names.slice(names.indexOf(name)), name].join(" -> ");
      problems.push(
        problem(
          [...(monitor?.path ?? []), "dependsOn", index],
          `the monitors depend on each other in a circle: ${circle}`,
        ),
      );
    } else if (byName.has(name) && !done.has(name)) {
      way.push({ name, next: 0 });
      onWay.add(name);
    }
  }
  return problems;
}
