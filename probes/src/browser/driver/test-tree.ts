/** The declarations of a script: nested groups of tests, in the order in which they were written. Pure. */

/** The arguments of a test or hook by name, such as `page`, `context` and `request`. */
export interface Fixtures {
  [name: string]: unknown;
}
/** The function of a test or hook, as the script wrote it. `info` is the object that `test.info()` returns. */
export type Body = (fixtures: Fixtures, info: unknown) => unknown;

/** Options of a browser context, and further ones that Playwright's runner knows. */
export type UseOptions = Record<string, unknown>;

/** Names of the hooks that a group can have. */
export const HOOKS = ["beforeAll", "beforeEach", "afterEach", "afterAll"] as const;
/** Name of a hook. */
export type HookName = (typeof HOOKS)[number];

/** A declared test: its title, function and group, and its `only`, `skip` and `fail` marks. */
export interface DeclaredTest {
  kind: "test";
  title: string;
  body: Body;
  group: Group;
  isFocused: boolean;
  isSkipped: boolean;
  expectsFailure: boolean;
}

/** A `test.describe` block with its tests and inner groups in their order; the root stands for the whole script. */
export interface Group {
  kind: "group";
  title: string;
  parent: Group | undefined;
  entries: (DeclaredTest | Group)[];
  hooks: Record<HookName, Body[]>;
  options: UseOptions;
  /** Time limit of each test in the group. */
  timeoutMs: number | undefined;
  /** After a failed test the other tests of the group are not run. */
  isSerial: boolean;
  isFocused: boolean;
  isSkipped: boolean;
  /** Conditions for skipping the group's tests, asked before each of them. */
  skipConditions: { holds: (fixtures: Fixtures) => unknown; reason: string }[];
}

/**
 * Returns an empty group without options.
 * @param parent the group around it; undefined for the root
 */
export function newGroup(title: string, parent: Group | undefined): Group {
  return {
    kind: "group",
    title,
    parent,
    entries: [],
    hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
    options: {},
    timeoutMs: undefined,
    isSerial: false,
    isFocused: false,
    isSkipped: false,
    skipConditions: [],
  };
}

/** Returns the tests to run, without skipped ones. Where something is focused with `only`, nothing else is run. */
export function testsToRun(root: Group): DeclaredTest[] {
  return (hasFocus(root) ? focusedOf(root) : allOf(root)).filter(
    (test) => !test.isSkipped && groupsOf(test).every((group) => !group.isSkipped),
  );
}

/** Returns the groups around a test, the outermost first. */
export function groupsOf(test: DeclaredTest): Group[] {
  const groups: Group[] = [];
  for (let group: Group | undefined = test.group; group; group = group.parent) groups.unshift(group);
  return groups;
}

/** Returns the title of a test with those of its groups. */
export function fullTitleOf(test: DeclaredTest): string {
  return [...groupsOf(test), test]
    .map(({ title }) => title)
    .filter((title) => title !== "")
    .join(" › ");
}

/** True when a function asks for a fixture, which shows in the destructuring of its first parameter. */
export function asksFor(body: Body, fixture: string): boolean {
  const [, names, whole] =
    /^(?:async\s*)?(?:function\b[^(]*)?\(?\s*(?:\{([^}]*)\}|([^\s,)=]*))/.exec(String(body)) ?? [];
  if (names === undefined) return whole !== "" && !whole?.startsWith("_");
  return names
    .split(",")
    .some((name) => name.split(/[:=]/, 1)[0]?.trim() === fixture || /^\s*\.\.\./.test(name));
}

function allOf(group: Group): DeclaredTest[] {
  return group.entries.flatMap((entry) => (entry.kind === "test" ? [entry] : allOf(entry)));
}

function hasFocus(group: Group): boolean {
  return group.entries.some((entry) => entry.isFocused || (entry.kind === "group" && hasFocus(entry)));
}

/** Returns the focused tests. A focused group counts as a whole only if nothing inside it is focused. */
function focusedOf(group: Group): DeclaredTest[] {
  return group.entries.flatMap((entry) => {
    if (entry.kind === "test") return entry.isFocused ? [entry] : [];
    if (hasFocus(entry)) return focusedOf(entry);
    return entry.isFocused ? allOf(entry) : [];
  });
}
