/** One stack per test: under one name for all tests of a file, or handed to each test. */
import { afterEach, beforeEach, test } from "vitest";
import { startTestStack, type TestStack } from "./test-stack.ts";

/**
 * Starts a stack before each test of the calling file and ends it afterwards. The answer stands for that of the present
 * test.
 */
export function setUpTestStack(): Omit<TestStack, typeof Symbol.asyncDispose> {
  let current: TestStack | undefined;
  const stack = () => {
    if (!current) throw new Error("a stack is there in tests only");
    return current;
  };
  beforeEach(async () => {
    current = await startTestStack();
  });
  afterEach(async () => {
    await current?.[Symbol.asyncDispose]();
    current = undefined;
  });
  return {
    get target() {
      return stack().target;
    },
    controlPlane: (options) => stack().controlPlane(options),
    runner: (options) => stack().runner(options),
    proxy: (target) => stack().proxy(target),
    folder: () => stack().folder(),
    database: (options) => stack().database(options),
    atEnd: (end) => stack().atEnd(end),
  };
}

/**
 * A test that is handed a stack of its own, so that tests of a file can run at once (`.concurrent`): for those that wait
 * for a fixed time, and judge no time that the machine's speed decides.
 */
export const testWithStack = test.extend<{ stack: TestStack }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that are needed from the pattern
  stack: async ({}, use) => {
    const stack = await startTestStack();
    try {
      await use(stack);
    } finally {
      await stack[Symbol.asyncDispose]();
    }
  },
});
