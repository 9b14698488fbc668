/** Validates the config with its schema. A text that is one `${NAME}` may give a number or a boolean. */
import {
  describeIssue,
  findUnstorableText,
  isObject,
  type SvcConfig,
  svcConfigPartSchema,
  svcConfigSchema,
} from "@svc/contract";
import type * as z from "zod";
import { ConfigTree, isOwnKey } from "./config-tree.ts";
import type { ConfigPart, LoadedConfig } from "./loaded-config.ts";
import type { ConfigPath, Positions } from "./positions.ts";
import type { Problem } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** Checks the config. @returns undefined as config, with problems, when the schema refuses it */
export function checkSchema(
  tree: ConfigTree,
  loaded: LoadedConfig,
): { config: SvcConfig | undefined; problems: Problem[] } {
  const unstorable = findUnstorableText(tree.root);
  const problems = [
    ...(unstorable ? [tree.problem(unstorable.path as ConfigPath, unstorable.message)] : []),
    ...(loaded.format === "directory"
      ? loaded.parts.flatMap((part) => partProblems(part, loaded.positions))
      : []),
  ];
  const parsed = parseCoercing(tree.root, loaded.coercible);
  if (parsed.success) return { config: problems.length > 0 ? undefined : parsed.data, problems };
  const firstFile = loaded.parts[0]?.file.shownPath ?? "";
  // A placeholder that isn't set is a problem already; what the schema says of its text is no second one.
  const unresolvedPaths = new Set(loaded.unresolved.map(({ path }) => path));
  const schemaProblems = parsed.error.issues
    .flatMap((issue) => problemsOf(tree, issue, firstFile))
    .filter(({ path }) => !unresolvedPaths.has(path));
  return { config: undefined, problems: [...problems, ...schemaProblems] };
}

/** Lists only the problems of a part that the whole doesn't show: unknown fields, and lists that are no list. */
function partProblems({ value, file }: ConfigPart, positions: Positions): Problem[] {
  const parsed = svcConfigPartSchema.safeParse(withoutOwnKeys(value), { error: describeIssue });
  const issues = parsed.success ? [] : parsed.error.issues.filter(({ path }) => path.length < 2);
  const tree = new ConfigTree(isObject(value) ? value : {}, positions);
  return issues
    .filter((issue) => issue.path.length === 0 || !isMerged(value, issue.path[0]))
    .flatMap((issue) => problemsOf(tree, issue, file.shownPath));
}

function withoutOwnKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isOwnKey(key)));
}

/** True when the merged config has this value, whose problems are found there. */
function isMerged(value: unknown, key: PropertyKey | undefined): boolean {
  const field = (value as Record<PropertyKey, unknown>)[key as PropertyKey];
  return key === "project" || key === "defaults" || Array.isArray(field);
}

/** Parses; where the schema wants a number or a boolean in place of a coercible text, puts it there and parses again. */
function parseCoercing(root: Record<string, unknown>, coercible: ReadonlySet<string>) {
  const first = svcConfigSchema.safeParse(root, { error: describeIssue });
  if (first.success || coercible.size === 0) return first;
  const coerced = first.error.issues.filter(
    (issue) => coercible.has(JSON.stringify(issue.path)) && coerceValue(root, issue),
  );
  return coerced.length === 0 ? first : svcConfigSchema.safeParse(root, { error: describeIssue });
}

/** Replaces the text by the value that the schema expects. @returns false when the text doesn't stand for one */
function coerceValue(root: unknown, issue: Issue): boolean {
  if (issue.code !== "invalid_type") return false;
  const last = issue.path.at(-1) as string | number;
  let holder = root as Record<PropertyKey, unknown>;
  for (const step of issue.path.slice(0, -1)) holder = holder[step] as Record<PropertyKey, unknown>;
  const value = valueOfText(String(holder[last]), issue.expected);
  if (value === undefined) return false;
  holder[last] = value;
  return true;
}

function valueOfText(text: string, expected: string): number | boolean | undefined {
  if (expected === "boolean") return text === "true" || text === "false" ? text === "true" : undefined;
  const isNumber = /^(number|int)$/.test(expected) && text.trim() !== "" && Number.isFinite(Number(text));
  return isNumber ? Number(text) : undefined;
}

/**
 * Turns one issue into problems: one per unknown field; of a union that matched nothing, those of its likeliest member.
 * @param file named when the issue has no position
 */
function problemsOf(tree: ConfigTree, issue: Issue, file: string): Problem[] {
  const path = issue.path as ConfigPath;
  const messages = issue.message.split("\n");
  const problems =
    issue.code === "unrecognized_keys"
      ? // The last line may count unknown fields that the message doesn't explain.
        issue.keys
          .slice(0, messages.length)
          .map((key, i) => tree.problem([...path, key], messages[i] ?? issue.message, path))
      : messages.map((message) => tree.problem(path, message));
  return problems.map((problem) => ({ ...problem, file: problem.file || file }));
}
