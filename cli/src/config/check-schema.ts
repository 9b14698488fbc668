/** Holds the config against its schema. Text that a whole ${NAME} gave may stand for a number or a boolean. */
import {
  describeIssue,
  findUnstorableText,
  type SvcConfig,
  svcConfigPartSchema,
  svcConfigSchema,
} from "@svc/contract";
import type * as z from "zod";
import type { LoadedConfig } from "./load-config.ts";
import { isMap } from "./merge-parts.ts";
import { type ConfigPath, type Problem, problemAt } from "./positions.ts";

type Issue = z.core.$ZodIssue;

export function checkSchema(
  loaded: LoadedConfig,
  root: Record<string, unknown>,
): { config: SvcConfig | undefined; problems: Problem[] } {
  const unstorable = findUnstorableText(root);
  if (unstorable) {
    const path = unstorable.path as ConfigPath;
    const place = loaded.places.find(root, path);
    return { config: undefined, problems: [problemAt(place, path, unstorable.message)] };
  }
  const problems = loaded.format === "directory" ? partProblems(loaded) : [];
  const parsed = parseCoercing(loaded, root);
  if (parsed.success) return { config: problems.length > 0 ? undefined : parsed.data, problems };
  const hidden = new Set(loaded.unresolved.map(({ path }) => path));
  const own = parsed.error.issues
    .flatMap((issue) => problemsOf(loaded, root, issue))
    .filter(({ path }) => !hidden.has(path));
  return { config: undefined, problems: [...problems, ...own] };
}

/** Of a part only what the whole can't see: unknown fields, and lists that are none. */
function partProblems(loaded: LoadedConfig): Problem[] {
  return loaded.parts.flatMap(({ value, file }) => {
    const parsed = svcConfigPartSchema.safeParse(withoutOwnKeys(value), { error: describeIssue });
    const issues = parsed.success ? [] : parsed.error.issues.filter(({ path }) => path.length < 2);
    return issues
      .filter((issue) => issue.path.length === 0 || !isMerged(value, issue.path[0]))
      .flatMap((issue) =>
        problemsOf(loaded, value, issue).map((problem) => ({
          ...problem,
          file: problem.file || file.shownPath,
        })),
      );
  });
}

/** What a part may have like the whole: keys of the user's own. */
function withoutOwnKeys(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isOwnKey(key)));
}

/** As in Compose files: keys of the user's own, mostly to hang anchors on. */
export function isOwnKey(key: string): boolean {
  return key.startsWith("x-");
}

/** Whether the merged config has the same value, whose problems are found there. */
function isMerged(value: unknown, key: PropertyKey | undefined): boolean {
  const field = (value as Record<PropertyKey, unknown>)[key as PropertyKey];
  return key === "project" || key === "defaults" || Array.isArray(field);
}

function parseCoercing(loaded: LoadedConfig, root: Record<string, unknown>) {
  const first = svcConfigSchema.safeParse(root, { error: describeIssue });
  if (first.success || loaded.coercible.size === 0) return first;
  const coerced = first.error.issues.filter((issue) => coerce(loaded, root, issue));
  return coerced.length === 0 ? first : svcConfigSchema.safeParse(root, { error: describeIssue });
}

/** Puts the number or boolean in the place of its text. @returns whether it did */
function coerce({ coercible }: LoadedConfig, root: unknown, issue: Issue): boolean {
  if (issue.code !== "invalid_type" || !coercible.has(JSON.stringify(issue.path))) return false;
  const last = issue.path.at(-1) as string | number;
  let holder = root as Record<PropertyKey, unknown>;
  for (const step of issue.path.slice(0, -1)) holder = holder[step] as Record<PropertyKey, unknown>;
  const text = String(holder[last]);
  if (issue.expected === "boolean" && (text === "true" || text === "false")) holder[last] = text === "true";
  else if (/^(number|int)$/.test(issue.expected) && text.trim() !== "" && Number.isFinite(Number(text)))
    holder[last] = Number(text);
  else return false;
  return true;
}

/** One problem per unknown field; of a union that matched nothing, what its likeliest member says. */
function problemsOf({ places, parts }: LoadedConfig, root: unknown, issue: Issue): Problem[] {
  const path = issue.path as ConfigPath;
  const fallback = parts[0]?.file.shownPath;
  if (issue.code === "unrecognized_keys") {
    const messages = issue.message.split("\n");
    return issue.keys.map((key, i) => {
      const place = places.find(root, [...path, key]);
      return problemAt(place, path, messages[i] ?? issue.message, fallback);
    });
  }
  const place = places.find(root, path);
  return issue.message.split("\n").map((message) => problemAt(place, path, message, fallback));
}
