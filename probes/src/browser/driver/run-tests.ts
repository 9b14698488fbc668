/**
 * Runs the tests that a script declared, in Playwright's way: one after the other, each with a context of its own;
 * `beforeAll` and `afterAll` once around a group's tests, `beforeEach` and `afterEach` around each test, the latter
 * however the test ended. A failed test does not keep the others from running. The first failure is the run's.
 */

import { AssertionError } from "node:assert";
import { monotonicMs } from "../../base/machine-clocks.ts";
import { conclusionOf } from "./conclusion.ts";
import { RunningTestInfo } from "./running-test.ts";
import type { Steps } from "./steps.ts";
import { type TestCollection, TestSkipped } from "./test-shim.ts";
import {
  asksFor,
  type Body,
  type DeclaredTest,
  type Fixtures,
  fullTitleOf,
  type Group,
  groupsOf,
  type HookName,
  testsToRun,
  type UseOptions,
} from "./test-tree.ts";
import { TimeLimit, within } from "./time-limit.ts";

/** The services that a run offers to its tests. */
export interface TestStage {
  steps: Steps;
  /** Opens a context for the next test and returns its fixtures. */
  openTest(options: UseOptions, needs: { needsPage: boolean }): Promise<Fixtures>;
  /** Returns the fixtures of `beforeAll` and `afterAll`. */
  sharedFixtures(): Promise<Fixtures>;
  /** Returns the errors of soft assertions since the last call. */
  removeSoftErrors(): unknown[];
  /** Notes that the test whose context is open failed. */
  noteFailedTest(): void;
  note(text: string): void;
}

/** Time in which a run whose limit has passed may clean up after itself. */
const CLEANING_MS = 3_000;

interface Failure {
  error: unknown;
}

/** Runs the collected tests of one script once. A failure of a test is kept, and thrown after the last test. */
export class TestRun {
  readonly #collection: TestCollection;
  readonly #stage: TestStage;
  readonly #interrupted: Promise<unknown>;
  #isInterrupted = false;
  #cleaningEndsMs: number | undefined;
  /** Groups whose `beforeAll` ran, the outermost first. */
  #open: Group[] = [];
  /** Groups whose remaining tests are not run. */
  readonly #closed = new Set<Group>();
  readonly #notRun: string[] = [];
  #failure: Failure | undefined;

  /** @param interrupted rejects when the script has to end */
  constructor(collection: TestCollection, stage: TestStage, interrupted: Promise<unknown>) {
    this.#collection = collection;
    this.#stage = stage;
    this.#interrupted = interrupted;
    interrupted.catch(() => {
      this.#isInterrupted = true;
    });
  }

  /**
   * Runs all tests.
   * @returns how many tests were declared to run
   * @throws the first failure, after everything has run
   */
  async run(): Promise<number> {
    const tests = testsToRun(this.#collection.root);
    for (const test of tests) {
      const groups = groupsOf(test);
      await this.#leave(this.#open.filter((group) => !groups.includes(group)));
      const canRun = !this.#isInterrupted && !groups.some((group) => this.#closed.has(group));
      if (canRun && (await this.#enter(groups))) await this.#runTest(test, groups);
      else this.#notRun.push(fullTitleOf(test));
    }
    await this.#leave(this.#open);
    if (this.#notRun.length > 0) this.#stage.note(`tests that were not run: ${this.#notRun.join(", ")}`);
    if (this.#failure) throw this.#failure.error;
    return tests.length;
  }

  /**
   * Enters groups that are not open yet.
   * @returns false when a `beforeAll` failed
   */
  async #enter(groups: readonly Group[]): Promise<boolean> {
    for (const group of groups.filter((group) => !this.#open.includes(group))) {
      this.#open.push(group);
      if (await this.#runHooks("beforeAll", group)) continue;
      this.#closed.add(group);
      return false;
    }
    return true;
  }

  /**
   * Leaves groups.
   * @param groups the innermost last
   */
  async #leave(groups: readonly Group[]): Promise<void> {
    for (const group of groups.toReversed()) {
      this.#open = this.#open.filter((open) => open !== group);
      await this.#runHooks("afterAll", group);
    }
  }

  async #runHooks(name: "beforeAll" | "afterAll", group: Group): Promise<boolean> {
    const hooks = group.hooks[name];
    if (hooks.length === 0) return true;
    const { progress } = this.#collection;
    progress.current = "hook";
    const fixtures = await this.#stage.sharedFixtures();
    let isOk = true;
    for (const hook of hooks) {
      if (!isOk && name === "beforeAll") break;
      const failure = await this.#attempt(() =>
        hook(fixtures, { title: name, project: { name: "chromium" } }),
      );
      if (failure?.error instanceof TestSkipped) this.#stage.note(`skipped: ${failure.error.message}`);
      else if (failure) await this.#fail(name, failure.error);
      else await this.#stage.steps.end("success");
      isOk &&= failure === undefined;
    }
    progress.current = undefined;
    return isOk;
  }

  async #runTest(test: DeclaredTest, groups: readonly Group[]): Promise<void> {
    const { steps } = this.#stage;
    const options: UseOptions = Object.assign({}, ...groups.map((group) => group.options));
    const before = hooksOf("beforeEach", groups);
    const after = hooksOf("afterEach", groups.toReversed());
    const needsPage = [...before, test.body, ...after].some((body) => asksFor(body, "page"));
    const title = fullTitleOf(test);
    const limit = new TimeLimit((limitMs) => `test "${title}" did not end within its ${limitMs} ms`);
    const timeoutMs = groups.findLast((group) => group.timeoutMs !== undefined)?.timeoutMs;
    const running = new RunningTestInfo({ test, groups, options, timeoutMs, limit });
    this.#collection.progress.current = running;
    const countBefore = steps.count;
    if (!/__step\(|\btest\.step\(/.test(String(test.body))) await steps.mark(title);
    let fixtures: Fixtures = {};
    const thrown = await this.#attempt(async () => {
      fixtures = await this.#stage.openTest(options, { needsPage });
      for (const { holds, reason } of groups.flatMap((group) => group.skipConditions))
        if (await holds(fixtures)) throw new TestSkipped(reason);
      for (const body of [...before, test.body]) await body(fixtures, running.info);
    }, limit.passed);
    limit.stop();
    const failure = this.#judge(running, title, thrown);
    if (steps.count === countBefore) await steps.mark(title);
    running.end(failure?.error);
    if (failure) await this.#fail(title, failure.error);
    else await steps.end("success");
    for (const hook of after) {
      const broken = await this.#attempt(() => hook(fixtures, running.info));
      if (broken && !(broken.error instanceof TestSkipped)) await this.#fail("afterEach", broken.error);
      else await steps.end("success");
    }
    this.#collection.progress.current = undefined;
    if (failure) for (const group of groups) if (group.isSerial) this.#closed.add(group);
  }

  /** Decides whether a test failed, from the error it threw and its soft assertions. */
  #judge(running: RunningTestInfo, title: string, thrown: Failure | undefined): Failure | undefined {
    const [soft] = this.#stage.removeSoftErrors();
    if (thrown?.error instanceof TestSkipped) {
      running.isSkipped = true;
      this.#stage.note(`skipped: ${title}: ${thrown.error.message}`);
      return undefined;
    }
    const failure = thrown ?? (soft === undefined ? undefined : { error: soft });
    if (!running.expectsFailure || this.#isInterrupted) return failure;
    return failure
      ? undefined
      : { error: new AssertionError({ message: `${title}: expected to fail, but passed` }) };
  }

  /** Ends the current step with the error, or a new one with this name. */
  async #fail(name: string, error: unknown): Promise<void> {
    const { steps } = this.#stage;
    const { status, errorMessage } = conclusionOf(error);
    if (steps.current === undefined) await steps.mark(name);
    await steps.end(status, errorMessage ?? undefined);
    this.#stage.noteFailedTest();
    if (this.#failure) this.#stage.note(`also failed: ${name}: ${errorMessage}`);
    this.#failure ??= { error };
  }

  /** Does work and returns its failure. After an interruption the work has little time left. */
  async #attempt(work: () => unknown, limit?: Promise<never>): Promise<Failure | undefined> {
    const doing = Promise.resolve().then(work);
    doing.catch(() => {});
    try {
      if (this.#isInterrupted) await this.#clean(doing);
      else await Promise.race([doing, this.#interrupted, ...(limit ? [limit] : [])]);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #clean(doing: Promise<unknown>): Promise<unknown> {
    this.#cleaningEndsMs ??= monotonicMs() + CLEANING_MS;
    const leftMs = this.#cleaningEndsMs - monotonicMs();
    return within(leftMs, () => "the run's time was up, and hooks had no time left", doing);
  }
}

function hooksOf(name: HookName, groups: readonly Group[]): Body[] {
  return groups.flatMap((group) => group.hooks[name]);
}
