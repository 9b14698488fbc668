/** Reads a config, or a fragment of one, that is a text and lies in no folder. Pure. */
import { checkTypes, isObject } from "@svc/contract";
import { LineCounter } from "yaml";
import { type Environment, interpolate } from "../interpolate.ts";
import { secretNamesIn } from "../placeholders.ts";
import { checkConfig, wholeConfig } from "./check-config.ts";
import { monitorsOf } from "./check-references.ts";
import type { ConfigTree } from "./config-tree.ts";
import type { Desired } from "./desired.ts";
import { type LoadedConfig, readYaml } from "./loaded-config.ts";
import { Positions, type SourceFile } from "./positions.ts";
import { type Problem, pathText } from "./problem.ts";

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

/** Whatever is known of the surroundings of a config that is a text. */
export interface TextSurroundings {
  /** Texts of scripts by their paths in the config, which are relative and without `./`. */
  scripts?: Readonly<Record<string, string>>;
  /** Values of the secrets that are known, by environment variable (`SVC_SECRET_NAME`). */
  secrets?: Environment;
}

/**
 * Reads and checks the text as `svc validate` would read it as a file. Secrets that are not known are stood in for, variables of the
 * environment stay unfilled, and a monitor whose script is not known is a problem: there is no folder.
 */
export function readConfigText(text: string, surroundings: TextSurroundings = {}): TextConfig {
  const names = secretNamesIn([text, ...Object.values(surroundings.scripts ?? {})].join("\n"));
  let best = readWith(text, surroundings, standIns(names, {}));
  const kinds: Record<string, StandInKind> = {};
  for (const kind of OTHER_KINDS) {
    const suspect = namesOnLines(text, best.problems);
    if (suspect.size === 0) break;
    const tried = { ...kinds, ...Object.fromEntries([...suspect].map((name) => [name, kind])) };
    const read = readWith(text, surroundings, standIns(names, tried));
    const left = namesOnLines(text, read.problems);
    // With the right kind a text may have as many problems, or more: those that are found only once its form is right.
    if (read.problems.length >= best.problems.length && left.size >= suspect.size) continue;
    best = read;
    for (const name of suspect) if (!left.has(name)) kinds[name] = kind;
  }
  return best;
}

/** Returns the names of secrets in the lines that have problems: what stands in for them may be the cause. */
function namesOnLines(text: string, problems: readonly Problem[]): Set<string> {
  const lines = problems.length === 0 ? [] : text.split("\n");
  const withProblem = new Set(
    problems.flatMap(({ line }) => (line === undefined ? [] : [lines[line - 1] ?? ""])),
  );
  return new Set([...withProblem].flatMap(secretNamesIn));
}

function readWith(
  text: string,
  { scripts = {}, secrets = {} }: TextSurroundings,
  standInTexts: Environment,
): TextConfig {
  const file: SourceFile = { shownPath: "config", folder: "", text, lines: new LineCounter() };
  const positions = new Positions();
  const env = { ...standInTexts, ...secrets };
  const read = readYaml(file, { env, positions });
  if (isObject(read.value) && !("project" in read.value)) read.value.project = FRAGMENT_PROJECT;
  const loaded: LoadedConfig = {
    ...read,
    format: "file",
    folder: "",
    parts: read.value === undefined ? [] : [{ file, value: read.value }],
    positions,
  };
  const whole = wholeConfig(loaded);
  const scriptTexts = readScripts(whole.tree, { scripts, env });
  // Every known value counts, however the text refers to it: ${SVC_SECRET_NAME} is a way to it, too.
  const known = Object.values(secrets).filter((value) => value !== undefined);
  const found = {
    unfilled: read.unresolved,
    secrets: [...read.secrets, ...scriptTexts.secrets, ...known],
  };
  const readProblems = [...read.problems, ...whole.problems];
  if (!whole.isReadable) return { desired: undefined, problems: readProblems, ...found };
  const { desired, problems } = checkConfig(loaded, {
    tree: whole.tree,
    scripts: scriptTexts.texts,
    readProblems: [...readProblems, ...scriptTexts.problems],
  });
  return { desired: problems.length > 0 ? undefined : desired, problems, ...found };
}

/**
 * Texts that stand for a secret: a URL is valid nearly everywhere; a token must not be one, and a private key is PEM, masked, so that
 * nobody reads it as one.
 */
const STAND_INS = {
  url: (name: string) => `https://secret.invalid/${name}`,
  token: (name: string) => `secret-${name}`,
  key: (name: string) =>
    `-----BEGIN PRIVATE KEY-----\n***${Buffer.from(name).toString("base64")}***\n-----END PRIVATE KEY-----\n`,
} as const;
type StandInKind = keyof typeof STAND_INS;
const OTHER_KINDS: readonly StandInKind[] = ["token", "key"];

/** Returns an environment with a text for each secret. @param kinds the kind of text by name; a URL for all others */
function standIns(names: readonly string[], kinds: Readonly<Record<string, StandInKind>>): Environment {
  return Object.fromEntries(
    names.map((name) => [
      `SVC_SECRET_${name}`,
      STAND_INS[Object.hasOwn(kinds, name) ? (kinds[name] ?? "url") : "url"](name),
    ]),
  );
}

interface ReadScripts {
  /** Texts by the path of the monitor that names them. */
  texts: Map<string, string>;
  problems: Problem[];
  /** Values of the secrets in them. */
  secrets: string[];
}

function readScripts(
  tree: ConfigTree,
  { scripts, env }: { scripts: Readonly<Record<string, string>>; env: Environment },
): ReadScripts {
  const read: ReadScripts = { texts: new Map(), problems: [], secrets: [] };
  for (const { value: monitor, path } of monitorsOf(tree.root)) {
    const field = checkTypes.find(String(monitor.type))?.scriptField;
    const file = field === undefined ? undefined : monitor[field];
    if (field === undefined || typeof file !== "string") continue;
    const name = file.replace(/^\.\//, "");
    if (Object.hasOwn(scripts, name)) {
      const { text, secrets } = interpolate(scripts[name] as string, env, "script");
      read.texts.set(pathText(path), text);
      read.secrets.push(...secrets);
    } else
      read.problems.push(
        tree.problem(
          [...path, field],
          "a script lies in a file, which can't be read here; run svc diff in the folder of the config",
        ),
      );
  }
  return read;
}
