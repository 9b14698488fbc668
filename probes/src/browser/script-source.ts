/**
 * Translates a user's script for a driver: markers become calls, TypeScript becomes JavaScript. The text is only
 * translated here, never run.
 */
import { createHash } from "node:crypto";
import { findStepMarkers } from "@svc/contract";
import { CompileError, compileTypeScript } from "./compile-script.ts";
import { findImportDeclarations } from "./import-declarations.ts";
import { LINES_BEFORE_SCRIPT } from "./protocol/limits.ts";

/** The script can't be translated. The message is the compiler's, with the line. */
export class ScriptInvalid extends Error {
  /** Line of the script, from 1; undefined: none is to blame. */
  readonly line: number | undefined;

  constructor(message: string, { line, cause }: { line: number | undefined; cause: unknown }) {
    super(message, { cause });
    this.line = line;
  }
}

const EXPORT = /^export\s+(?:default\s+)?(?=(?:async\s+)?(?:function|class|const|let|var)\b)/gm;
/** Translations kept: at most so many, and so many characters of scripts. */
const TRANSLATED_MAX = 200;
const TRANSLATED_CHARACTERS_MAX = 16 * 1024 * 1024;

interface Translation {
  characters: number;
  code: Promise<string>;
}

const translated = new Map<string, Translation>();
let translatedCharacters = 0;

/**
 * Translates a script, each one once.
 * @returns JavaScript of a CommonJS module whose default export is an async function of the fixtures
 * @throws ScriptInvalid
 */
export function translateScript(script: string): Promise<string> {
  const key = createHash("sha256").update(script).digest("hex");
  const known = translated.get(key);
  if (known) return known.code;
  const translation = { characters: script.length, code: translate(script) };
  translated.set(key, translation);
  translatedCharacters += translation.characters;
  while (translated.size > TRANSLATED_MAX || translatedCharacters > TRANSLATED_CHARACTERS_MAX) forgetOldest();
  translation.code.catch((error: unknown) => {
    // The machine may compile it another time.
    if (!(error instanceof ScriptInvalid) && translated.get(key) === translation) forget(key, translation);
  });
  return translation.code;
}

function forgetOldest(): void {
  const [oldest] = translated;
  if (oldest) forget(...oldest);
}

function forget(key: string, { characters }: Translation): void {
  translated.delete(key);
  translatedCharacters -= characters;
}

/**
 * Returns the script as the body of a function, with each of its lines on a line of its own. The work grows with the
 * script's length and with nothing else, since it is done on the agent's event loop.
 */
export function wrapScript(script: string): string {
  const { imports, body } = splitImports(script);
  const fixtures = "{ page, context, browser, request, browserName, console, __step }";
  return `${imports.join(" ")} export default async (${fixtures}: any) => {\n${callSteps(body.replace(EXPORT, ""))}\n};\n`;
}

/** Returns the import declarations, each as one line, and the script with empty lines in their place. */
function splitImports(script: string): { imports: string[]; body: string } {
  const imports: string[] = [];
  let body = "";
  let copiedTo = 0;
  for (const { start, end } of findImportDeclarations(script)) {
    const lines = script.slice(start, end).split("\n");
    const declaration = lines.join(" ");
    imports.push(declaration.endsWith(";") ? declaration : `${declaration};`);
    body += script.slice(copiedTo, start) + "\n".repeat(lines.length - 1);
    copiedTo = end;
  }
  return { imports, body: body + script.slice(copiedTo) };
}

function callSteps(body: string): string {
  let called = "";
  let copiedTo = 0;
  for (const { name, start, end } of findStepMarkers(body)) {
    called += `${body.slice(copiedTo, start)}await __step(${JSON.stringify(name)});`;
    copiedTo = end;
  }
  return called + body.slice(copiedTo);
}

async function translate(script: string): Promise<string> {
  try {
    return await compileTypeScript(wrapScript(script));
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const line = error.line === undefined ? undefined : Math.max(1, error.line - LINES_BEFORE_SCRIPT);
    const where = line === undefined ? "" : ` (line ${line})`;
    throw new ScriptInvalid(`the script can't be compiled: ${error.message}${where}`, { line, cause: error });
  }
}
