/** Writes config files: whole or not at all, never over what is there unless asked. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Document, isScalar, visit } from "yaml";
import { CliError } from "../runtime/cli-error.ts";

/** A document as the config writes it: long texts as blocks, nothing folded. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    // Unquoted it would be read as a merge key.
    Pair: (_index, { key }) => {
      if (isScalar(key) && key.value === "<<") key.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, defaultStringType: "PLAIN" });
}

/** Editors with the YAML language server complete and check by it. */
export function schemaComment(apiUrl: string): string {
  return `# yaml-language-server: $schema=${apiUrl}/svc.config.schema.json\n`;
}

/** @throws CliError naming those that exist, before any is written */
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

/** By way of a draft beside it, so that a crash leaves the old file or the new one. @param mode default 0644 less the umask */
export function writeFileWhole(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, mode === undefined ? {} : { mode });
  renameSync(draft, path);
}
