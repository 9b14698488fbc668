/** Words the YAML parser's errors for users of the config. */
import type { YAMLParseError, YAMLWarning } from "yaml";
import type { SourceFile } from "./positions.ts";
import { type Problem, problemAt } from "./problem.ts";

/** True for an unknown tag: without this, `!include x` would be read as the text "x". */
export function isUnknownTag({ code }: YAMLParseError | YAMLWarning): boolean {
  return code === "TAG_RESOLVE_FAILED";
}

/** Lists the syntax errors, at most one per line, leaving out errors that only follow from an earlier one. */
export function syntaxProblems(
  file: SourceFile,
  errors: readonly (YAMLParseError | YAMLWarning)[],
): Problem[] {
  const first = errors.findIndex(({ message }) => /in YAML stream/.test(message));
  const own = errors.filter(({ message }, i) => i === first || !/in YAML stream/.test(message));
  const problems = own.map((error) => syntaxProblem(file, error));
  return problems.filter(({ line }, i) => problems.findIndex((other) => other.line === line) === i);
}

/** Words one error: in words of our own where the parser's don't name the way out. */
function syntaxProblem(file: SourceFile, { code, message, pos }: YAMLParseError | YAMLWarning): Problem {
  const position = { file, offset: pos[0] };
  const atTab = file.text[pos[0]] === "\t" || code === "TAB_AS_INDENT";
  const lineStart = file.text.lastIndexOf("\n", pos[0] - 1) + 1;
  const line = file.text.slice(lineStart, file.text.indexOf("\n", lineStart) >>> 0);
  if (atTab || /^\s*\t/.test(line))
    return problemAt(position, [], "YAML takes no tabs as indentation; use spaces");
  if (code === "DUPLICATE_KEY")
    return problemAt(position, [], `the key ${keyAt(file.text, pos[0])} is there twice`);
  if (code === "MULTIPLE_DOCS") return problemAt(position, [], "only one YAML document per file");
  if (/^Maximum call stack/.test(message)) return problemAt(position, [], "nested too deeply");
  const first = message.split("\n")[0] ?? message;
  const hint = quotesHint(line, file.text.slice(pos[0]));
  return problemAt(position, [], `not valid YAML: ${first}${hint}`);
}

/** Names the quotes that are missing, for mistakes that anyone makes once: `@` and `{` mean something in YAML. */
function quotesHint(line: string, rest: string): string {
  const [channel] = /^@[\w.-]*/.exec(rest) ?? [];
  if (channel !== undefined) return ` (a channel reference needs quotes: "${channel}")`;
  return /\{\{|\$\{/.test(line) ? " (a placeholder within { } or at the beginning needs quotes)" : "";
}

function keyAt(text: string, offset: number): string {
  return `"${/^["']?([^\n:"']{0,80})/.exec(text.slice(offset, offset + 90))?.[1]?.trim() ?? ""}"`;
}
