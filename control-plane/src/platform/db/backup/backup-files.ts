/** The form of a backup: a folder with the cluster's files, the artifacts' files, and `backup.json`, which lists both. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

/** Name of the file that describes a backup; written last. */
export const MANIFEST_FILE = "backup.json";
/** Folder of the PostgreSQL cluster, in a backup as in a data folder. */
export const CLUSTER_FOLDER = "postgres";
/** Folder of pictures and videos, in a backup as in a data folder. */
export const ARTIFACTS_FOLDER = "artifacts";

/** A backup can't be made or restored; the message is the one line to print. */
export class BackupError extends Error {}

const manifestSchema = z.object({
  /** Version of this form. */
  format: z.literal(1),
  /** Version of the service that made the backup. */
  serviceVersion: z.string(),
  /** Major version of the PostgreSQL whose files these are. */
  postgresMajor: z.number().int(),
  /** Instant up to which the backup holds what was committed; ISO 8601. */
  completedAt: z.iso.datetime(),
  files: z.array(
    z.object({
      /** Path in the backup, with `/` between folders. */
      path: z.string().regex(/^(?!.*(?:^|\/)\.\.(?:\/|$))(?:postgres|artifacts)\/[^\\\0]+$/),
      bytes: z.number().int().nonnegative(),
      /** SHA-256 of the content, hexadecimal. */
      sha256: z.string().length(64),
    }),
  ),
  /** Folders without a file, which PostgreSQL wants nevertheless. */
  emptyFolders: z.array(z.string().regex(/^(?!.*(?:^|\/)\.\.(?:\/|$))postgres\/[^\\\0]+$/)),
});

/** What `backup.json` says. */
export type Manifest = z.infer<typeof manifestSchema>;
/** A file of a backup. */
export type BackupFile = Manifest["files"][number];

/**
 * Reads what a backup consists of.
 * @throws BackupError when the folder is no backup, or one of another form
 */
export async function readManifest(backup: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(backup, MANIFEST_FILE), "utf8");
  } catch {
    throw new BackupError(`${backup} is no finished backup: it has no ${MANIFEST_FILE}`);
  }
  const manifest = manifestSchema.safeParse(parseOrUndefined(text));
  if (!manifest.success)
    throw new BackupError(
      `${join(backup, MANIFEST_FILE)} is damaged, or of a later version of the service: ${z.prettifyError(manifest.error)}`,
    );
  return manifest.data;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The paths below a folder, relative to it. */
export interface FolderContent {
  files: string[];
  emptyFolders: string[];
}

/**
 * Lists what is below a folder, in the order of the paths; nothing when there is no such folder.
 * @param isWanted says of a path whether to list it, and with a folder what is below it
 */
export async function listFolder(
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<FolderContent> {
  const content: FolderContent = { files: [], emptyFolders: [] };
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(ignoreMissing);
    const wanted = entries
      .map((entry) => ({ entry, path: below === "" ? entry.name : `${below}/${entry.name}` }))
      .filter(({ path }) => isWanted(path))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    if (wanted.length === 0 && below !== "") content.emptyFolders.push(below);
    for (const { entry, path } of wanted)
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) content.files.push(path);
  };
  await visit("");
  return content;
}

function ignoreMissing(error: NodeJS.ErrnoException): [] {
  if (error.code !== "ENOENT") throw error;
  return [];
}

/** The content that was copied. */
export interface Copied {
  bytes: number;
  sha256: string;
}

/**
 * Copies a file to where none is, closed to others. The content is what was read, also when the file changes meanwhile. The copy is
 * on disk after `syncFolder`.
 * @param onBytes receives the length of each piece that was copied
 * @returns undefined when there is no such file any more
 */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (bytes: number) => void,
): Promise<Copied | undefined> {
  const source = await open(from, "r").catch(ignoreMissing);
  if (Array.isArray(source)) return undefined;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const target = await open(to, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of createReadStream("", { fd: source, highWaterMark: CHUNK_BYTES })) {
      hash.update(chunk);
      await target.writeFile(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
    }
    return { bytes, sha256: hash.digest("hex") };
  } finally {
    await target.close();
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Writes a small file, closed to others; it is on disk after `syncFolder`. */
export async function writeSmallFile(path: string, content: string): Promise<Copied> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  return { bytes: Buffer.byteLength(content), sha256: createHash("sha256").update(content).digest("hex") };
}

/** File system calls that a process has under way at once, unless UV_THREADPOOL_SIZE says otherwise. */
const SYNCS_AT_ONCE = 4;

/**
 * Returns once everything below a folder is on disk, the names included. Many files at once, since a file system writes its journal
 * once for all that wait: one after the other, the thousand small files of a cluster take a minute on a busy disk.
 */
export async function syncFolder(folder: string): Promise<void> {
  const paths = [folder];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() || entry.isDirectory()) paths.push(join(entry.parentPath, entry.name));
  const remaining = paths.values();
  const syncRemaining = async () => {
    for (const path of remaining) await syncPath(path);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncRemaining));
}

/** Returns once the content of a file, or the names in a folder, are on disk. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
