/** Reads a config, or a fragment of one, that is a text and lies in no folder. Pure. */
import { checkTypes, isObject } from "@svc/contract";
import { LineCounter } from "yaml";
import type { Environment } from "../interpolate.ts";
import { secretNamesIn } from "../placeholders.ts";
import { checkConfig, wholeConfig } from "./check-config.ts";
import { monitorsOf } from "./check-references.ts";
import type { ConfigTree } from "./config-tree.ts";
import type { Desired } from "./desired.ts";
import { type LoadedConfig, readYaml } from "./loaded-config.ts";
import { Positions, type SourceFile } from "./positions.ts";
import type { Problem } from "./problem.ts";

/** Project of a fragment that names none. */
const FRAGMENT_PROJECT = "fragment";

/** A config that was read from a text. */
export interface TextConfig {
  /** The resources that it describes; undefined when it is not valid. */
  desired: Desired | undefined;
  problems: Problem[];
  /** Placeholders of the environment, which is not known here; they stay as they are. */
  unfilled: Problem[];
  /** Stand-ins of the secrets, whose values are not known here. */
  secrets: string[];
}

/**
 * Reads and checks the text as `svc validate` would read it as a file. Secrets are stood in for, variables of the environment stay
 * unfilled, and a monitor whose script lies in a file is a problem: there is no folder.
 */
export function readConfigText(text: string): TextConfig {
  const file: SourceFile = { shownPath: "config", folder: "", text, lines: new LineCounter() };
  const positions = new Positions();
  const read = readYaml(file, { env: standIns(text), positions });
  if (isObject(read.value) && !("project" in read.value)) read.value.project = FRAGMENT_PROJECT;
  const loaded: LoadedConfig = {
    ...read,
    format: "file",
    folder: "",
    parts: read.value === undefined ? [] : [{ file, value: read.value }],
    positions,
  };
  const whole = wholeConfig(loaded);
  const found = { unfilled: read.unresolved, secrets: read.secrets };
  const readProblems = [...read.problems, ...whole.problems];
  if (!whole.isReadable) return { desired: undefined, problems: readProblems, ...found };
  const { desired, problems } = checkConfig(loaded, {
    tree: whole.tree,
    scripts: new Map(),
    readProblems: [...readProblems, ...scriptProblems(whole.tree)],
  });
  return { desired: problems.length > 0 ? undefined : desired, problems, ...found };
}

/** Returns an environment with a text for each secret that is valid wherever a secret may stand, a URL included. */
function standIns(text: string): Environment {
  return Object.fromEntries(
    secretNamesIn(text).map((name) => [`SVC_SECRET_${name}`, `https://secret.invalid/${name}`]),
  );
}

function scriptProblems(tree: ConfigTree): Problem[] {
  return monitorsOf(tree.root).flatMap(({ value: monitor, path }) => {
    const field = checkTypes.find(String(monitor.type))?.scriptField;
    return field !== undefined && typeof monitor[field] === "string"
      ? [
          tree.problem(
            [...path, field],
            "a script lies in a file, which can't be read here; run svc diff in the folder of the config",
          ),
        ]
      : [];
  });
}
