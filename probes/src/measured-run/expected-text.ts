/** Texts that a check expects of what a target sends: one that is contained, and a pattern that matches. */
import { matchDirectly } from "../base/regex-direct.ts";
import { MATCH_LIMIT_MS, type MatchOutcome, matchPattern, RegexPoolBusy } from "../base/regex-pool.ts";
import { textPreview } from "../base/storable-text.ts";
import { RunnerFailure, TargetFailure } from "../run/failures.ts";

/** Texts that are expected: all that are given. */
export interface ExpectedText {
  contains: string | undefined;
  matches: string | undefined;
}

/** Returns the failure of a target that sent something else than expected. */
export function unexpected(message: string): TargetFailure {
  return new TargetFailure({ status: "failure", category: "assertion", message });
}

/**
 * Returns why a text is not what is expected; undefined when it is.
 * @param team shares the threads for patterns with others
 * @throws TargetFailure when the pattern can't be used, RunnerFailure when no thread is free
 */
export async function lackOf(
  text: string,
  { contains, matches }: ExpectedText,
  team: string | undefined,
): Promise<string | undefined> {
  const shown = text === "" ? "nothing was received" : `"${textPreview(text)}"`;
  if (contains !== undefined && !text.includes(contains))
    return text === "" ? shown : `${shown} does not contain "${textPreview(contains)}"`;
  if (matches === undefined) return undefined;
  const outcome = await match(matches, text, team);
  switch (outcome.kind) {
    case "match":
      return undefined;
    case "invalid":
      throw unexpected(`expectMatches is no pattern: ${textPreview(outcome.message)}`);
    case "overrun":
      throw unexpected(
        `expectMatches did not finish within ${MATCH_LIMIT_MS} ms; simplify it (nested repetition is the usual cause)`,
      );
    default:
      return text === "" ? shown : `${shown} does not match the pattern ${textPreview(matches)}`;
  }
}

async function match(pattern: string, text: string, team: string | undefined): Promise<MatchOutcome> {
  const found = matchDirectly(pattern, text);
  if (found !== undefined) return found === null ? { kind: "no_match" } : { kind: "match", text: found };
  try {
    return await matchPattern(pattern, text, team);
  } catch (error) {
    if (error instanceof RegexPoolBusy) throw new RunnerFailure("capacity", error.message, { cause: error });
    throw error;
  }
}
