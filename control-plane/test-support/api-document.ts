/**
 * The OpenAPI document of the whole service, made by the first test of a run that needs it, and the check of answers
 * against it.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { AnswerChecker, type ApiDocument, type ObservedAnswer } from "./answer-checker.ts";

let checker: Promise<AnswerChecker> | undefined;

/** Returns the checker of the whole service's document; the first call takes up to a second. */
export function wholeApiChecker(): Promise<AnswerChecker> {
  checker ??= readDocument().then((document) => new AnswerChecker(document));
  return checker;
}

/**
 * Holds an answer of a running service against the document.
 * @throws Error that names request, status and the difference
 */
export async function checkAnswer(answer: ObservedAnswer): Promise<void> {
  const problem = (await wholeApiChecker()).problemOf(answer);
  if (problem) throw new Error(problem);
}

async function readDocument(): Promise<ApiDocument> {
  const path = join(inject("testFolder"), "openapi.json");
  if (!existsSync(path)) {
    // Loaded here alone, since most tests need a part of the service only.
    const { describeWholeApi } = await import("./describe-whole-api.ts");
    const own = `${path}.${process.pid}`;
    writeFileSync(own, await describeWholeApi());
    renameSync(own, path);
  }
  return JSON.parse(readFileSync(path, "utf8"));
}
