/** Reads a config out of what a language model wrote. Pure. */
import { oneLine } from "@svc/contract";

/** Longest fragment that a model may write, characters. */
const FRAGMENT_CHARACTERS_MAX = 64 * 1024;
/** Longest explanation, and longest and most warnings, that are passed on. */
const EXPLANATION_CHARACTERS_MAX = 2_000;
const WARNING_CHARACTERS_MAX = 500;
const WARNINGS_MAX = 20;
const CODE_BLOCK = /```[a-z]*[ \t]*\n([\s\S]*?)\n```/i;
const WARNING = /^\s*(?:[-*]\s+)?\**Warning:?\**:?\s*/i;

/** The model's answer in its parts. */
export interface ConfigDraft {
  fragment: string;
  explanation: string;
  warnings: string[];
}

/** Returns the parts of an answer, or why it has no fragment, as a sentence for its writer. */
export function configDraftIn(answer: string): ConfigDraft | { problem: string } {
  const block = CODE_BLOCK.exec(answer);
  const fragment = block?.[1]?.trim() ?? "";
  if (!block || fragment === "") return { problem: "The answer has no YAML in a code block." };
  if (fragment.length > FRAGMENT_CHARACTERS_MAX)
    return {
      problem: `The YAML has ${fragment.length} characters; at most ${FRAGMENT_CHARACTERS_MAX} are allowed.`,
    };
  const before = answer.slice(0, block.index);
  const after = answer.slice(block.index + block[0].length);
  const lines = `${before}\n${after}`
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const warnings = lines.filter((line) => WARNING.test(line)).map((line) => line.replace(WARNING, ""));
  return {
    fragment: `${fragment}\n`,
    explanation: oneLine(lines.filter((line) => !WARNING.test(line)).join(" ")).slice(
      0,
      EXPLANATION_CHARACTERS_MAX,
    ),
    warnings: warnings
      .slice(0, WARNINGS_MAX)
      .map((warning) => oneLine(warning).slice(0, WARNING_CHARACTERS_MAX)),
  };
}
