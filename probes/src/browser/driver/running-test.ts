/** A test while it runs: everything that its script can ask and set by `test.info()` and `test.setTimeout()`. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conclusionOf } from "./conclusion.ts";
import { type RunningTest, TestSkipped } from "./test-shim.ts";
import type { DeclaredTest, Group, UseOptions } from "./test-tree.ts";
import type { TimeLimit } from "./time-limit.ts";

/** The test that begins, and its surroundings. */
export interface RunningTestParts {
  test: DeclaredTest;
  /** The groups around the test, outermost first. */
  groups: readonly Group[];
  options: UseOptions;
  /** Undefined and 0: only the run's own limit. */
  timeoutMs: number | undefined;
  /** Starts with the test. */
  limit: TimeLimit;
}

/**
 * The state of one running test: its `test.info()`, its time limit, and whether it was skipped or is expected to
 * fail.
 */
export class RunningTestInfo implements RunningTest {
  readonly info: Record<string, unknown>;
  expectsFailure: boolean;
  isSkipped = false;
  readonly #limit: TimeLimit;

  constructor({ test, groups, options, timeoutMs, limit }: RunningTestParts) {
    this.#limit = limit;
    this.expectsFailure = test.expectsFailure;
    this.info = {
      title: test.title,
      titlePath: [...groups.map(({ title }) => title), test.title],
      file: "script.ts",
      status: "passed",
      expectedStatus: test.expectsFailure ? "failed" : "passed",
      annotations: [],
      attachments: [],
      tags: [],
      errors: [],
      error: undefined,
      config: {},
      retry: 0,
      repeatEachIndex: 0,
      workerIndex: 0,
      parallelIndex: 0,
      timeout: timeoutMs ?? 0,
      project: { name: "chromium", use: options, retries: 0, timeout: timeoutMs ?? 0 },
      outputDir: tmpdir(),
      outputPath: (...parts: string[]) => join(tmpdir(), ...parts),
      attach: async () => {},
      slow: () => {},
      setTimeout: (limitMs: number) => this.setTimeout(limitMs),
      skip,
      fixme: skip,
      fail: (...parts: unknown[]) => {
        if (parts.length === 0 || parts[0]) this.expectFailure();
      },
    };
    limit.set(timeoutMs);
  }

  /** Sets the time limit, counted from the start of the test. */
  setTimeout(timeoutMs: number): void {
    this.info.timeout = timeoutMs;
    this.#limit.set(timeoutMs);
  }

  expectFailure(): void {
    this.expectsFailure = true;
    this.info.expectedStatus = "failed";
  }

  /** Sets the test's status for its `afterEach` hooks. */
  end(error: unknown): void {
    const isFailed = error !== undefined;
    const status = isFailed && conclusionOf(error).status === "timeout" ? "timedOut" : "failed";
    this.info.status = this.isSkipped ? "skipped" : isFailed || this.expectsFailure ? status : "passed";
    this.info.error = isFailed ? error : undefined;
    this.info.errors = isFailed ? [error] : [];
  }
}

function skip(...parts: unknown[]): void {
  if (parts.length === 0 || parts[0]) throw new TestSkipped(String(parts[1] ?? "skipped"));
}
