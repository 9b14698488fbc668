/**
 * Translates a user's script for a driver: markers become calls, TypeScript becomes JavaScript. The text is only
 * translated here, never run.
 */
import { createHash } from "node:crypto";

/** The script can't be translated. The message is the compiler's, with the line. */
export class ScriptInvalid extends Error {}

const MARKER = /^[^\S\n]*\/\/[^\S\n]*@step:[^\S\n]*(\S.*?)[^\S\n]*$/gm;
/** Whole import declarations at the beginning of a line; they may span several lines. */
const IMPORT = /^[^\S\n]*import\s(?:[^'";]*?\sfrom\s*)?["'][^"']+["'][^\S\n]*;?/gm;
const EXPORT = /^export\s+(?:default\s+)?(?=(?:async\s+)?(?:function|class|const|let|var)\b)/gm;
const TRANSLATED_MAX = 200;

const translated = new Map<string, Promise<string>>();

/**
 * Translates a script, each one once.
 * @returns JavaScript of a CommonJS module whose default export is an async function of the fixtures
 * @throws ScriptInvalid
 */
export function translateScript(script: string): Promise<string> {
  const key = createHash("sha256").update(script).digest("hex");
  let code = translated.get(key);
  if (!code) {
    code = translate(script);
    translated.set(key, code);
    if (translated.size > TRANSLATED_MAX) translated.delete(translated.keys().next().value as string);
    code.catch(() => {});
  }
  return code;
}

/** Returns the script as the body of a function, with each of its lines on a line of its own. */
export function wrapScript(script: string): string {
  const imports: string[] = [];
  const body = script
    .replace(IMPORT, (declaration) => {
      imports.push(declaration.replaceAll("\n", " ").replace(/;?$/, ";"));
      return "\n".repeat(declaration.split("\n").length - 1);
    })
    .replace(EXPORT, "")
    .replace(MARKER, (_line, name: string) => `await __step(${JSON.stringify(name)});`);
  const fixtures = "{ page, context, browser, request, browserName, console, __step }";
  // There is one line before the script's first, so the user's line is the compiler's less one.
  return `${imports.join(" ")} export default async (${fixtures}: any) => {\n${body}\n};\n`;
}

async function translate(script: string): Promise<string> {
  const { transform } = await import("esbuild");
  try {
    const { code } = await transform(wrapScript(script), {
      loader: "ts",
      format: "cjs",
      target: "node20",
      sourcefile: "script.ts",
      logLevel: "silent",
    });
    return code;
  } catch (error) {
    const [first] =
      (error as { errors?: { text: string; location: { line: number } | null }[] }).errors ?? [];
    if (!first) throw error;
    const line = first.location === null ? "" : ` (line ${Math.max(1, first.location.line - 1)})`;
    throw new ScriptInvalid(`the script can't be compiled: ${first.text}${line}`, { cause: error });
  }
}
