/** The config pipeline up to what is asked for: load, interpolate, validate (everything wrong at once), resolve. */
import { CliError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";
import { checkReferences } from "./check-references.ts";
import { checkSchema, isOwnKey } from "./check-schema.ts";
import type { Desired } from "./desired.ts";
import { loadConfig } from "./load-config.ts";
import { isMap, mergeParts } from "./merge-parts.ts";
import { type Problem, problemLine } from "./positions.ts";
import { readScripts } from "./read-scripts.ts";
import { resolveConfig } from "./resolve-config.ts";

/**
 * Reads and checks the config of the working folder; its secrets are kept from every output from here on. Asks no service.
 * @throws CliError that lists everything wrong, each with file, line and column
 */
export function readConfig({
  system,
  out,
}: {
  system: Pick<Context["system"], "env" | "cwd">;
  out: Pick<Context["out"], "secrets" | "warn" | "text">;
}): Desired {
  const { env, cwd } = system;
  const loaded = loadConfig(cwd, env);
  for (const secret of loaded.secrets) out.secrets.add(secret);
  const { root, problems: mergeProblems } = rootOf();
  for (const key of Object.keys(root)) if (isOwnKey(key)) delete root[key];
  const scripts = readScripts(loaded, root, env);
  for (const secret of scripts.secrets) out.secrets.add(secret);

  const unresolved = [...loaded.unresolved, ...scripts.unresolved];
  for (const problem of unresolved) out.warn(out.text(problemLine(problem)));
  const problems = [...loaded.problems, ...unresolved, ...mergeProblems, ...scripts.problems];
  // What could not even be read has no fields to be missed.
  if (loaded.problems.length > 0 && loaded.parts.length === 0) throw invalidConfig(problems);
  const { config, problems: schemaProblems } = checkSchema(loaded, root);
  problems.push(...schemaProblems, ...checkReferences(loaded, root));
  if (!config || problems.length > 0) throw invalidConfig(problems);
  const resolved = resolveConfig(loaded, root, config, scripts.texts);
  if (resolved.problems.length > 0) throw invalidConfig(resolved.problems);
  return resolved.desired;

  function rootOf() {
    if (loaded.format === "directory") return mergeParts(loaded);
    const value = loaded.parts[0]?.value;
    if (isMap(value)) return { root: value, problems: [] };
    if (loaded.parts.length > 0)
      loaded.problems.push({
        path: "",
        file: loaded.parts[0]?.file.shownPath ?? "",
        message: "expected a map with project and monitors",
      });
    loaded.parts = [];
    return { root: {}, problems: [] };
  }
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
