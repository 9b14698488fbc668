/** Reads the config: load, fill in placeholders, merge, check (everything wrong at once), resolve inheritance. */
import { isObject } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";
import { checkReferences } from "./check-references.ts";
import { checkSchema } from "./check-schema.ts";
import { ConfigTree, isOwnKey } from "./config-tree.ts";
import type { Desired } from "./desired.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";
import { mergeParts } from "./merge-parts.ts";
import { fileProblem, type Problem, problemLine } from "./problem.ts";
import { readScripts } from "./read-scripts.ts";
import { resolveConfig } from "./resolve-config.ts";

/** The parts of the context that reading a config needs. */
export interface ReadConfigContext {
  system: Pick<Context["system"], "env" | "cwd">;
  out: Pick<Context["out"], "secrets" | "warn" | "text">;
}

/**
 * Reads and checks the config of the working folder; its secrets are kept from every output from here on. Makes no request.
 * @throws CliError that lists everything wrong, each with file, line and column
 */
export function readConfig({ system, out }: ReadConfigContext): Desired {
  const { env, cwd } = system;
  const loaded = loadConfig(cwd, env);
  const whole = wholeConfig(loaded);
  const { tree } = whole;
  const scripts = readScripts(tree, loaded.folder, env);
  for (const secret of [...loaded.secrets, ...scripts.secrets]) out.secrets.add(secret);

  const unresolved = [...loaded.unresolved, ...scripts.unresolved];
  for (const problem of unresolved) out.warn(out.text(problemLine(problem)));
  const readProblems = [...loaded.problems, ...whole.problems, ...unresolved, ...scripts.problems];
  // A config that could not even be read has no fields to be missed.
  if (!whole.isReadable) throw invalidConfig(readProblems);

  const schema = checkSchema(tree, loaded);
  const problems = [...readProblems, ...schema.problems, ...checkReferences(tree)];
  if (!schema.config) throw invalidConfig(problems);

  const { format, folder } = loaded;
  const resolved = resolveConfig(schema.config, { tree, scripts: scripts.texts, format, folder });
  // A field that could not be read is a problem already; what follows from that is no second one.
  const known = new Set(problems.map(({ path }) => path));
  problems.push(...resolved.problems.filter(({ path }) => !known.has(path)));
  if (problems.length > 0) throw invalidConfig(problems);
  return resolved.desired;
}

interface WholeConfig {
  tree: ConfigTree;
  problems: Problem[];
  isReadable: boolean;
}

/** Returns the one config that the loaded files are, without the user's own keys. */
function wholeConfig({ format, parts, positions }: LoadedConfig): WholeConfig {
  if (format === "directory") {
    const { root, problems } = mergeParts({ parts, positions });
    return { tree: new ConfigTree(root, positions), problems, isReadable: parts.length > 0 };
  }
  const [part] = parts;
  if (part && isObject(part.value)) {
    removeOwnKeys(part.value);
    return { tree: new ConfigTree(part.value, positions), problems: [], isReadable: true };
  }
  return {
    tree: new ConfigTree({}, positions),
    problems: part ? [fileProblem(part.file.shownPath, "expected a map with project and monitors")] : [],
    isReadable: false,
  };
}

/** Removes them in place: positions are kept by the object, so a copy would have none. */
function removeOwnKeys(root: Record<string, unknown>): void {
  for (const key of Object.keys(root)) if (isOwnKey(key)) delete root[key];
}

function invalidConfig(problems: readonly Problem[]): CliError {
  const sorted = [...problems].sort(
    (a, b) =>
      a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
  const count = sorted.length === 1 ? "1 problem" : `${sorted.length} problems`;
  return new CliError("general_error", `the config has ${count}`, {
    hint: sorted.map((problem) => `  ${problemLine(problem).replaceAll("\n", " ")}`).join("\n"),
    details: { problems: sorted },
  });
}
