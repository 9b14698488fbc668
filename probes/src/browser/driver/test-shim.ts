/**
 * What a script gets for `@playwright/test`: the real `expect`, devices and errors, and a `test` that collects what it is
 * told, to be run one after the other. Hooks, groups, `test.step` and `test.use` work; what needs Playwright's own runner does not exist.
 */
import type { BrowserContextOptions } from "playwright";

export interface Fixtures {
  [name: string]: unknown;
}
export type Body = (fixtures: Fixtures, info: unknown) => unknown;

export interface CollectedTest {
  title: string;
  body: Body;
  hooks: Hooks;
  options: BrowserContextOptions;
}

interface Hooks {
  beforeAll: Body[];
  beforeEach: Body[];
  afterEach: Body[];
  afterAll: Body[];
}

interface Group {
  title: string;
  hooks: Hooks;
  options: BrowserContextOptions;
}

/** A test was left out by the script itself, from within. */
export class TestSkipped extends Error {}

export interface TestCollection {
  tests: CollectedTest[];
  test: unknown;
}

/** @param runStep carries out what `test.step` is given */
export function collectTests(
  expect: unknown,
  runStep: (name: string, body: () => unknown) => Promise<unknown>,
): TestCollection {
  const tests: CollectedTest[] = [];
  let only: CollectedTest[] | undefined;
  let groups: Group[] = [newGroup("")];

  const add = (title: string, ...rest: unknown[]): CollectedTest => {
    const collected: CollectedTest = {
      title: [...groups.map((group) => group.title), title].filter((part) => part !== "").join(" › "),
      body: bodyOf(rest),
      hooks: joinHooks(groups),
      options: Object.assign({}, ...groups.map((group) => group.options)),
    };
    tests.push(collected);
    return collected;
  };
  const describe = (...parts: unknown[]) => {
    const body = bodyOf(parts) as () => unknown;
    groups = [...groups, newGroup(typeof parts[0] === "string" ? parts[0] : "")];
    try {
      body();
    } finally {
      groups = groups.slice(0, -1);
    }
  };
  const skip = (...parts: unknown[]) => {
    if (typeof parts.at(-1) === "function" && typeof parts[0] === "string") return;
    if (parts.length === 0 || parts[0] === true) throw new TestSkipped(String(parts[1] ?? "skipped"));
  };
  const hook =
    (name: keyof Hooks) =>
    (...parts: unknown[]) => {
      (groups.at(-1) as Group).hooks[name].push(bodyOf(parts));
    };
  const addOnly = (title: string, ...rest: unknown[]) => {
    only ??= [];
    only.push(add(title, ...rest));
  };
  const ignore = () => {};
  const test = Object.assign(add, {
    describe: Object.assign(describe, {
      serial: describe,
      parallel: describe,
      only: describe,
      skip: ignore,
      configure: ignore,
    }),
    only: addOnly,
    skip,
    fixme: skip,
    slow: ignore,
    setTimeout: ignore,
    step: (name: string, body: () => unknown) => runStep(name, body),
    use: (options: BrowserContextOptions) => Object.assign((groups.at(-1) as Group).options, options),
    beforeAll: hook("beforeAll"),
    beforeEach: hook("beforeEach"),
    afterEach: hook("afterEach"),
    afterAll: hook("afterAll"),
    info: () => ({ title: "", annotations: [], attach: ignore, setTimeout: ignore, project: { name: "" } }),
    expect,
  });
  return {
    get tests() {
      return only ?? tests;
    },
    test,
  };
}

function bodyOf(parts: readonly unknown[]): Body {
  const body = parts.at(-1);
  if (typeof body !== "function") throw new Error("the last argument must be a function");
  return body as Body;
}

function newGroup(title: string): Group {
  return { title, hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] }, options: {} };
}

/** The groups' own lists, since a hook may be declared after the test. */
function joinHooks(groups: readonly Group[]): Hooks {
  const joined = (name: keyof Hooks) => groups.flatMap((group) => group.hooks[name]);
  return {
    get beforeAll() {
      return joined("beforeAll");
    },
    get beforeEach() {
      return joined("beforeEach");
    },
    get afterEach() {
      return joined("afterEach").toReversed();
    },
    get afterAll() {
      return joined("afterAll").toReversed();
    },
  };
}
