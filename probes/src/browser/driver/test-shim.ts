/**
 * The `test` object of `@playwright/test` as scripts get it. It collects declarations for run-tests.ts. Features that
 * need Playwright's own runner (its configuration, custom fixtures, snapshots, retries) do not exist.
 */
import {
  type Body,
  type DeclaredTest,
  type Fixtures,
  type Group,
  HOOKS,
  type HookName,
  newGroup,
  type UseOptions,
} from "./test-tree.ts";

/** A test was skipped by the script while it ran. */
export class TestSkipped extends Error {}

/** The running test as scripts can change it. */
export interface RunningTest {
  setTimeout(timeoutMs: number): void;
  expectFailure(): void;
  /** Playwright's TestInfo. */
  info: object;
}

/** The part of a script that runs now, set by the runner of the tests; undefined: the script is still declaring. */
interface Progress {
  current: RunningTest | "hook" | undefined;
}

/**
 * The declarations of one script: their outermost group, the state of their run, and the `test` object that
 * collects them.
 */
export interface TestCollection {
  root: Group;
  progress: Progress;
  test: unknown;
}

/**
 * Makes a `test` object.
 * @param runStep carries out a `test.step`
 */
export function collectTests(
  expect: unknown,
  runStep: (name: string, body: (info: object) => unknown) => Promise<unknown>,
): TestCollection {
  const root = newGroup("", undefined);
  const progress: Progress = { current: undefined };
  let group = root;

  const declare = (parts: readonly unknown[], traits: Partial<DeclaredTest> = {}) => {
    if (progress.current) throw new Error("a test can't be declared while another one runs");
    group.entries.push({
      kind: "test",
      title: titleOf(parts),
      body: bodyOf(parts),
      group,
      isFocused: false,
      isSkipped: false,
      expectsFailure: false,
      ...traits,
    });
  };
  const describe = (parts: readonly unknown[], traits: Partial<Group> = {}) => {
    const outer = group;
    group = Object.assign(newGroup(titleOf(parts), outer), traits);
    outer.entries.push(group);
    try {
      (bodyOf(parts) as () => unknown)();
    } finally {
      group = outer;
    }
  };
  const configure = ({ mode, timeout }: { mode?: string; timeout?: number } = {}) => {
    if (mode !== undefined) group.isSerial = mode === "serial";
    if (timeout !== undefined) group.timeoutMs = timeout;
  };
  // `skip(title, body)` declares; `skip()`, `skip(condition, reason)` are said in a test, or of a group.
  const skip = (...parts: unknown[]) => {
    const [condition, description] = parts;
    if (typeof condition === "string" && typeof parts.at(-1) === "function")
      return declare(parts, { isSkipped: true });
    const reason = typeof description === "string" ? description : "skipped";
    const isNow = progress.current !== undefined;
    if (typeof condition === "function" && !isNow)
      group.skipConditions.push({ holds: condition as (fixtures: Fixtures) => unknown, reason });
    else if (parts.length === 0 || condition) {
      if (isNow) throw new TestSkipped(reason);
      group.skipConditions.push({ holds: () => true, reason });
    }
  };
  const fail = (...parts: unknown[]) => {
    if (typeof parts[0] === "string" && typeof parts.at(-1) === "function")
      return declare(parts, { expectsFailure: true });
    if (typeof progress.current === "object" && (parts.length === 0 || parts[0]))
      progress.current.expectFailure();
  };
  const setTimeout = (timeoutMs: number) => {
    if (typeof progress.current === "object") progress.current.setTimeout(timeoutMs);
    else if (progress.current === undefined) group.timeoutMs = timeoutMs;
  };
  const info = () => {
    if (typeof progress.current !== "object")
      throw new Error("test.info() can only be called while a test runs");
    return progress.current.info;
  };
  const hook =
    (name: HookName) =>
    (...parts: unknown[]) => {
      group.hooks[name].push(bodyOf(parts));
    };

  const groupBy = (traits: Partial<Group>) =>
    Object.assign((...parts: unknown[]) => describe(parts, traits), {
      only: (...parts: unknown[]) => describe(parts, { ...traits, isFocused: true }),
    });
  const skipGroup = (...parts: unknown[]) => describe(parts, { isSkipped: true });
  const test = Object.assign((...parts: unknown[]) => declare(parts), {
    only: (...parts: unknown[]) => declare(parts, { isFocused: true }),
    skip,
    fixme: skip,
    fail,
    setTimeout,
    info,
    expect,
    describe: Object.assign(groupBy({}), {
      serial: groupBy({ isSerial: true }),
      parallel: groupBy({}),
      skip: skipGroup,
      fixme: skipGroup,
      configure,
    }),
    slow: ignore,
    step: Object.assign((name: string, body: (info: object) => unknown) => runStep(name, body), {
      skip: async () => {},
    }),
    use: (options: UseOptions) => Object.assign(group.options, options),
    extend: () => {
      throw new Error(
        "test.extend is not supported: make what the tests share with functions or test.beforeEach",
      );
    },
    ...Object.fromEntries(HOOKS.map((name) => [name, hook(name)])),
  });
  return { root, progress, test };
}

function titleOf(parts: readonly unknown[]): string {
  return typeof parts[0] === "string" ? parts[0] : "";
}

function bodyOf(parts: readonly unknown[]): Body {
  const body = parts.at(-1);
  if (typeof body !== "function") throw new Error("the last argument must be a function");
  return body as Body;
}

function ignore(): void {}
