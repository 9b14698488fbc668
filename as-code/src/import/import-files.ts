/** Turns the export of another tool into a config. Pure. */
import { listed } from "@svc/contract";
import { configOf, type PulledConfig } from "../describe.ts";
import type { Environment } from "../interpolate.ts";
import { createPlaceholders, type Placeholders } from "../placeholders.ts";
import type { Unmanaged } from "../records.ts";
import { hideSecretsInBodies } from "./carry/body-secrets.ts";
import { ImportDraft, type ImportNote, STAND_IN } from "./draft.ts";
import { ImportError } from "./import-error.ts";
import type { ImportSource } from "./import-source.ts";
import type { Item } from "./item.ts";
import { noteUnread } from "./note-unread.ts";
import { type ExportFile, readExport } from "./read-export.ts";
import { type ImportChoices, recordsOf } from "./records-of.ts";
import { importSources } from "./sources/registry.ts";

/** A config made of an export. */
export interface Imported {
  config: PulledConfig;
  /** Parts that were left out or changed, in the order of the export. */
  notes: ImportNote[];
  /** Number of notes beyond those listed. */
  omittedNotes: number;
  /** Monitors that the config has nothing of. */
  unmanaged: Unmanaged[];
  /** Number of alert rules. */
  alerts: number;
  placeholders: Placeholders;
}

/** The export, and the surroundings of the import. */
export interface ImportInput extends ImportChoices {
  /** In the order of their names. Those that are not the tool's are noted, unless all are. */
  files: readonly ExportFile[];
  /** Variables whose `SVC_SECRET_` values are recognised wherever they stand. */
  env: Environment;
}

/**
 * Converts the files.
 * @throws ImportError when no file is an export of the tool, or one can't be read
 */
export function importFiles(source: ImportSource, { files, env, locations }: ImportInput): Imported {
  const draft = new ImportDraft();
  const roots: Item[] = [];
  for (const root of files.map(readExport)) {
    if (source.recognises(root)) roots.push(root);
    else draft.leftOut(root, notAnExport(source, root));
  }
  if (roots.length === 0) throw refused(source, draft, files);
  source.convert(roots, draft);
  hideSecretsInBodies(draft);
  const records = recordsOf(draft, { locations });
  noteUnread(roots, draft);
  const placeholders = createPlaceholders(env, [], { pattern: STAND_IN, byName: draft.standIns });
  return {
    config: configOf(records, placeholders),
    notes: draft.notes,
    omittedNotes: draft.omittedNotes,
    unmanaged: draft.missing.map(({ name, path, reason }) => ({ kind: "check", id: path, name, reason })),
    alerts: records.alerts.length,
    placeholders,
  };
}

function refused(source: ImportSource, { notes }: ImportDraft, files: readonly ExportFile[]): ImportError {
  const [first] = notes;
  if (!first) return new ImportError(`there is no file to import: expected ${source.expects}`);
  const others = files.length > 1 ? ` (nor are ${listed(files.slice(1).map(({ name }) => name))})` : "";
  return new ImportError(`${first.file} ${first.message}${others}`, `Expected ${source.expects}`);
}

/** Says which tool the file looks like. */
function notAnExport(source: ImportSource, root: Item): string {
  const other = importSources.members.find((one) => one !== source && one.recognises(root));
  return other
    ? `looks like an export of ${other.title} (--from ${other.type}), not of ${source.title}`
    : `is no export of ${source.title}`;
}
