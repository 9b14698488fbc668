/** Checks a loaded config, everything wrong at once, and resolves inheritance. Pure. */
import { isObject } from "@svc/contract";
import { checkReferences } from "./check-references.ts";
import { checkSchema } from "./check-schema.ts";
import { ConfigTree, isOwnKey } from "./config-tree.ts";
import type { Desired } from "./desired.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { mergeParts } from "./merge-parts.ts";
import { fileProblem, type Problem } from "./problem.ts";
import { resolveConfig } from "./resolve-config.ts";

/** The one config that loaded files are. */
export interface WholeConfig {
  tree: ConfigTree;
  problems: Problem[];
  isReadable: boolean;
}

/** Returns the one config that the loaded files are, without the user's own keys. */
export function wholeConfig({ format, parts, positions }: LoadedConfig): WholeConfig {
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

/** The surroundings of a config that could be read. */
export interface CheckInput {
  tree: ConfigTree;
  /** Texts of scripts by the path of the monitor that names them. */
  scripts: ReadonlyMap<string, string>;
  /** Problems of reading it. */
  readProblems: readonly Problem[];
}

/**
 * Checks and resolves a config that could be read.
 * @returns the resources that it describes, undefined where its schema refuses it; and all problems, those of reading included
 */
export function checkConfig(
  loaded: LoadedConfig,
  { tree, scripts, readProblems }: CheckInput,
): { desired: Desired | undefined; problems: Problem[] } {
  const schema = checkSchema(tree, loaded);
  const problems = [...readProblems, ...schema.problems, ...checkReferences(tree)];
  if (!schema.config) return { desired: undefined, problems };
  const { format, folder } = loaded;
  const resolved = resolveConfig(schema.config, { tree, scripts, format, folder });
  // A field that could not be read is a problem already; what follows from that is no second one.
  const known = new Set(problems.map(({ path }) => path));
  return {
    desired: resolved.desired,
    problems: [...problems, ...resolved.problems.filter(({ path }) => !known.has(path))],
  };
}
