export type { ImportNote } from "./draft.ts";
export { ImportError } from "./import-error.ts";
export { type Imported, importFiles } from "./import-files.ts";
export type { ExportFile } from "./read-export.ts";
export { importSources } from "./sources/registry.ts";
