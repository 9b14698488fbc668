/** Writes config files: whole or not at all, and over existing files only when asked. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Document, isScalar, visit } from "yaml";
import { CliError } from "../runtime/cli-error.ts";

/** Returns a value as the YAML of a config: long texts as blocks, no line folded. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // An unquoted << would be read as a merge key.
    Pair: (_index, { key }) => {
      if (isScalar(key) && key.value === "<<") key.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, defaultStringType: "PLAIN" });
}

/** Returns the comment line, with its line break, that points editors with the YAML language server to the schema. */
export function schemaComment(apiUrl: string): string {
  return `# yaml-language-server: $schema=${apiUrl}/svc.config.schema.json\n`;
}

/**
 * Writes several files, by path.
 * @throws CliError naming the files that exist, before any is written
 */
export function writeFiles(
  files: ReadonlyMap<string, string>,
  { cwd, isForced }: { cwd: string; isForced: boolean },
): void {
  const existing = [...files.keys()].filter((path) => existsSync(path));
  if (existing.length > 0 && !isForced) {
    const names = existing.map((path) => relative(cwd, path));
    throw new CliError("general_error", `${names.join(", ")} exists already`, {
      hint: "--force overwrites it",
    });
  }
  for (const [path, text] of files) writeFileWhole(path, text);
}

/**
 * Writes a draft beside the file and renames it, so that a crash leaves the old file or the new one.
 * @param mode default: 0644 less the umask
 */
export function writeFileWhole(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, mode === undefined ? {} : { mode });
  renameSync(draft, path);
}
