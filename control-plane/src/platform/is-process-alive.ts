import { readFileSync } from "node:fs";

/** True when a process of that number runs; a process that has ended but was not yet collected by its parent does not. */
export function isProcessAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // "pid (name) state ...": the name may hold anything, parentheses too.
    return !["Z", "X"].includes(stat.charAt(stat.lastIndexOf(")") + 2));
  } catch {
    return process.platform !== "linux";
  }
}
