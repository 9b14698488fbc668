import { expect, it } from "vitest";
import { sharedAnswer } from "./shared-answer.ts";

it("a question is asked once in a time, and once at a time, however many ask", async () => {
  let nowMs = 0;
  const answers: ((answer: number) => void)[] = [];
  const ask = sharedAnswer(
    5_000,
    () => new Promise<number>((resolve) => answers.push(resolve)),
    () => nowMs,
  );
  const first = [ask(), ask()];
  nowMs = 20_000;
  first.push(ask());
  expect(answers).toHaveLength(1);
  answers[0]?.(7);
  expect(await Promise.all(first)).toEqual([7, 7, 7]);
  const second = [ask(), ask()];
  expect(answers).toHaveLength(2);
  answers[1]?.(8);
  expect(await Promise.all(second)).toEqual([8, 8]);
  nowMs += 4_999;
  expect(await ask()).toBe(8);
  expect(answers).toHaveLength(2);
});
