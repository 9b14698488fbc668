/** Reads a script out of what a language model wrote, and says what is wrong with it before it is run. Pure. */
import { oneLine, vaultNamesIn } from "@svc/contract";

/** Longest script that a model may write, characters. */
const DRAFT_CHARACTERS_MAX = 64 * 1024;
/** A code block, the only one or the first; a model may also answer with the bare script. */
const CODE_BLOCK = /```[a-z]*\s*\n([\s\S]*?)\n```/i;
/** A module that the script loads, by any of the ways of the language. */
const MODULE = /\b(?:from|import|require)\s*\(?\s*["'`]([^"'`]*)["'`]/g;
const PLAYWRIGHT = "@playwright/test";
const URL_IN_TEXT = /\b(?:https?|wss?):\/\/[^\s"'`)<>\\]+/gi;

/** Returns the script of an answer; undefined when it has none. */
export function scriptIn(answer: string): string | undefined {
  const block = CODE_BLOCK.exec(answer)?.[1];
  const script = (block ?? (answer.includes("page.") ? answer : "")).trim();
  return script === "" ? undefined : `${script}\n`;
}

/** The origins and secrets that a script may name. */
export interface DraftLimits {
  /** Origins that it may go to; undefined: nothing is known of a target, so that any may be named. */
  origins: readonly string[] | undefined;
  /** Secrets that the person who asked has named. */
  vaultNames: readonly string[];
}

/** Returns why a script must not be run, as a sentence for its writer; undefined: nothing speaks against it. */
export function problemOfDraft(script: string, { origins, vaultNames }: DraftLimits): string | undefined {
  if (script.length > DRAFT_CHARACTERS_MAX)
    return `The script has ${script.length} characters; at most ${DRAFT_CHARACTERS_MAX} are allowed.`;
  for (const [, name = ""] of script.matchAll(MODULE))
    if (name !== PLAYWRIGHT)
      return `The script loads the module "${oneLine(name)}"; it may load none but ${PLAYWRIGHT}.`;
  const secret = vaultNamesIn(script).find((name) => !vaultNames.includes(name));
  if (secret !== undefined)
    return `The script refers to the secret ${oneLine(secret)}, which the description does not name as {{vault.${oneLine(secret)}}}.`;
  for (const [text] of script.matchAll(URL_IN_TEXT)) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const origin = url?.origin.replace(/^ws/, "http");
    if (origins !== undefined && (origin === undefined || !origins.includes(origin)))
      return `The script names ${oneLine(text.slice(0, 200))}; it may go to ${origins.join(" and ")} alone.`;
  }
  return undefined;
}

const STEP = /^\s*\/\/\s?@step:[ \t]*(\S.*?)[ \t]*$|\btest\.step\(\s*["'`]([^"'`\n]{1,255})["'`]/gm;
const STEPS_MAX = 100;

/** Lists the names of a script's steps in their order. */
export function stepsOf(script: string): string[] {
  return [...script.matchAll(STEP)]
    .slice(0, STEPS_MAX)
    .map(([, marked, called]) => (marked ?? called ?? "").slice(0, 255));
}
