/**
 * Examinations of an installation, for the `doctor` commands of the control plane and of agents: what each looks at, what it
 * found, and what a person can do about it.
 */
import { cleanLine } from "./clean.ts";
import { counted } from "./text.ts";

/**
 * How good a finding is. `skipped`: it could not be looked at, or there is nothing to look at; `warning`: it works, and will not always;
 * `problem`: something does not work.
 */
type FindingLevel = "ok" | "skipped" | "warning" | "problem";

/** One thing that an examination found. */
export interface Finding {
  level: FindingLevel;
  /** State that was found, as a clause without a full stop. */
  message: string;
  /** Advice, as an instruction without a full stop; warnings and problems have one. */
  remedy?: string;
}

/** A finding with the area that was examined. */
export interface AreaFinding extends Finding {
  area: string;
}

/** Looks at one area of an installation. It changes nothing there. */
export interface Examination<Subject> {
  /** The area's name in one word, such as "database". */
  area: string;
  /** Returns what it found. Ends its waits when the signal aborts. */
  examine(subject: Subject, signal: AbortSignal): Promise<Finding[]>;
}

/** Makes findings: `found.problem("the disk is full", "delete something")`. */
export const found = {
  ok: (message: string): Finding => ({ level: "ok", message }),
  skipped: (message: string): Finding => ({ level: "skipped", message }),
  warning: (message: string, remedy: string): Finding => ({ level: "warning", message, remedy }),
  problem: (message: string, remedy: string): Finding => ({ level: "problem", message, remedy }),
};

/**
 * Carries out all examinations at once and returns what they found, in their order. One that fails, or is not done within
 * `timeLimitMs`, is a problem of its area.
 */
export async function examineAll<Subject>(
  examinations: readonly Examination<Subject>[],
  { subject, timeLimitMs }: { subject: Subject; timeLimitMs: number },
): Promise<AreaFinding[]> {
  const findings = await Promise.all(
    examinations.map(async ({ area, examine }) => {
      const ofArea = await within(timeLimitMs, (signal) => examine(subject, signal));
      return ofArea.map((finding) => ({ area, ...finding }));
    }),
  );
  return findings.flat();
}

async function within(
  timeLimitMs: number,
  examine: (signal: AbortSignal) => Promise<Finding[]>,
): Promise<Finding[]> {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => {
      ending.abort();
      resolve([
        found.problem(
          `the examination was not done within ${timeLimitMs / 1000} s`,
          "look whether this machine is overloaded, and run the command again",
        ),
      ]);
    }, timeLimitMs);
  });
  try {
    return await Promise.race([examine(ending.signal), late]);
  } catch (error) {
    return [
      found.problem(
        `the examination failed: ${error instanceof Error ? error.message : String(error)}`,
        "run the command again; if the failure stays, report it",
      ),
    ];
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

/** True when something does not work. */
export function hasProblem(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === "problem");
}

const LEVELS: readonly FindingLevel[] = ["ok", "skipped", "warning", "problem"];
const LEVEL_WIDTH = Math.max(...LEVELS.map((level) => level.length));

/**
 * Returns the findings as lines for a terminal: area, level and message, the remedy below, and a count at the end. Control characters in
 * them, which may come from others, become spaces.
 */
export function findingsText(findings: readonly AreaFinding[]): string {
  const areaWidth = Math.max(0, ...findings.map(({ area }) => area.length));
  const indent = " ".repeat(areaWidth + LEVEL_WIDTH + 4);
  const lines = findings.flatMap(({ area, level, message, remedy }) => [
    `${area.padEnd(areaWidth)}  ${level.padEnd(LEVEL_WIDTH)}  ${cleanLine(message)}`,
    ...(remedy ? [`${indent}to do: ${cleanLine(remedy)}`] : []),
  ]);
  return [...lines, "", summaryOf(findings)].join("\n");
}

function summaryOf(findings: readonly Finding[]): string {
  const counts = (["problem", "warning"] as const).flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [counted(count, level)];
  });
  return counts.length === 0 ? "no problem found" : counts.join(", ");
}
