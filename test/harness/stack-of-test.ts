/** One stack per test, under one name for all tests of a file. */
import { afterEach, beforeEach } from "vitest";
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
  }, 60_000);
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
