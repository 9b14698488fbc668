/** The layouts of a config on disk. */

/** Name of the file of a config in the single-file layout. */
export const CONFIG_FILE = "svc.config.yaml";
/** Name of the folder of a config in the directory layout. */
export const CONFIG_FOLDER = "svc.config";
/** The layout of a config: one file, or a folder with any number of files, each a part of it. */
export type ConfigFormat = "file" | "directory";
