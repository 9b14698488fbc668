/** Reads the config: load, fill in placeholders, merge, check (everything wrong at once), resolve inheritance. */
import { checkConfig, type Desired, type Problem, problemLine, wholeConfig } from "@svc/as-code/config";
import { CliError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";
import { loadConfig } from "./load-config.ts";
import { readScripts } from "./read-scripts.ts";

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

  const { desired, problems } = checkConfig(loaded, { tree, scripts: scripts.texts, readProblems });
  if (!desired || problems.length > 0) throw invalidConfig(problems);
  return desired;
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
