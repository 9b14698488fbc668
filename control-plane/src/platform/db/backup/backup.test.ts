import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded.ts";
import { queryOnce } from "../postmaster.ts";
import { queryRows } from "../rows.ts";
import { BackupError, MANIFEST_FILE, type Manifest } from "./backup-files.ts";
import { makeBackup } from "./make-backup.ts";
import { progressLines, sizeText } from "./progress.ts";
import { readRecoveryFile, writeRecoveryFile } from "./recovery-key.ts";
import { restoreBackup } from "./restore-backup.ts";

const log = pino({ level: process.env.SVC_TEST_LOG_LEVEL ?? "silent" });

let root: string;
let postgres: EmbeddedPostgres;
/** Rows that were committed before the backup began. */
let committedBefore: number;
let progress: [doneBytes: number, totalBytes: number][];

const dataDir = () => join(root, "data");
const backup = () => join(root, "backup");

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "svc-backup-"));
  postgres = await startEmbeddedPostgres({ folder: dataDir(), log, initdbArguments: ["--no-sync"] });
  mkdirSync(join(dataDir(), "artifacts", "ab"), { recursive: true });
  writeFileSync(join(dataDir(), "artifacts", "ab", "picture"), "a picture");
  await queryOnce(
    postgres.connection,
    `CREATE TABLE numbers (key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, filler text);
     CREATE SEQUENCE unused;`,
  );
  const writer = keepWriting();
  await writer.hasWritten(500);
  committedBefore = writer.count();
  progress = [];
  await makeBackup({
    dataDir: dataDir(),
    target: backup(),
    onProgress: ({ doneBytes, totalBytes }) => progress.push([doneBytes, totalBytes]),
  });
  await writer.end();
});

afterAll(async () => {
  await postgres?.stop("immediate");
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

/** Inserts rows, one commit each, until it is ended. */
function keepWriting() {
  let isEnding = false;
  let written = 0;
  const waiting: { count: number; resolve: () => void }[] = [];
  const work = (async () => {
    while (!isEnding) {
      await queryOnce(postgres.connection, "INSERT INTO numbers (filler) VALUES (repeat('x', 500))");
      written++;
      for (const { count, resolve } of waiting) if (written >= count) resolve();
    }
  })();
  return {
    count: () => written,
    hasWritten: (count: number) =>
      new Promise<void>((resolve) => {
        waiting.push({ count, resolve });
      }),
    end: () => {
      isEnding = true;
      return work;
    },
  };
}

const noProgress = () => undefined;

/** Restores into a new data folder. */
function restore(
  name: string,
  examine: Parameters<typeof restoreBackup>[0]["examine"] = async () => undefined,
) {
  return restoreBackup({
    backup: backup(),
    dataDir: join(root, name),
    log,
    onProgress: noProgress,
    examine,
  });
}

/** Does something to a copy of what the manifest says, tries to restore, and puts it back. */
async function withManifest(change: (manifest: Manifest) => unknown, name: string): Promise<unknown> {
  const file = join(backup(), MANIFEST_FILE);
  const text = readFileSync(file, "utf8");
  const manifest = JSON.parse(text);
  change(manifest);
  writeFileSync(file, JSON.stringify(manifest));
  try {
    return await restore(name).catch((error: unknown) => error);
  } finally {
    writeFileSync(file, text);
  }
}

describe("a backup that is made while rows are written", () => {
  it("holds each row that was committed before, none twice, and no hole", async () => {
    let found: { count: number; first: number; last: number }[] = [];
    await restore("copy", async (knex) => {
      found = await queryRows(
        knex,
        `SELECT count(*)::integer AS count, min(key) AS first, max(key) AS last FROM numbers WHERE filler = repeat('x', 500)`,
      );
    });
    const [{ count, first, last } = { count: 0, first: 0, last: 0 }] = found;
    expect([first, last]).toEqual([1, count]);
    expect(count).toBeGreaterThanOrEqual(committedBefore);
    expect(readFileSync(join(root, "copy", "artifacts", "ab", "picture"), "utf8")).toBe("a picture");
    expect(existsSync(join(root, "copy", "restoring"))).toBe(false);
  });

  it("is closed to others, and tells how far it is, up to the end", () => {
    for (const path of ["", "postgres", "postgres/global/pg_control", MANIFEST_FILE])
      expect(statSync(join(backup(), path)).mode & 0o077).toBe(0);
    const [doneBytes, totalBytes] = progress.at(-1) ?? [];
    expect(doneBytes).toBe(totalBytes);
    expect(progress.length).toBeGreaterThan(100);
    expect(progress.every(([done, total], i) => done <= total && done >= (progress[i - 1]?.[0] ?? 0))).toBe(
      true,
    );
  });

  it("goes on with numbers that were never given, also where none was given before", async () => {
    let next: { key: number; unused: number }[] = [];
    await restore("numbers", async (knex) => {
      next = await queryRows(
        knex,
        "SELECT nextval(pg_get_serial_sequence('numbers', 'key'))::integer AS key, nextval('unused')::integer AS unused",
      );
    });
    expect(next[0]?.key).toBeGreaterThan(1_000_000);
    expect(next[0]?.unused).toBeGreaterThan(1_000_000);
  });

  it("leaves no log kept for it, and no file beside it", async () => {
    const { rows } = await queryOnce(postgres.connection, "SELECT * FROM pg_replication_slots");
    expect(rows).toEqual([]);
    expect(existsSync(`${backup()}.unfinished`)).toBe(false);
  });
});

describe("a backup is refused", () => {
  it("where something is already, or no server runs", async () => {
    const again = makeBackup({ dataDir: dataDir(), target: backup(), onProgress: noProgress });
    await expect(again).rejects.toThrow(
      new BackupError(`${backup()} exists already; name a folder that does not`),
    );
    const none = makeBackup({ dataDir: root, target: join(root, "none"), onProgress: noProgress });
    await expect(none).rejects.toThrow("no server runs on");
    expect([existsSync(join(root, "none")), existsSync(join(root, "none.unfinished"))]).toEqual([
      false,
      false,
    ]);
  });
});

describe("a restore is refused, and leaves nothing a service would start on,", () => {
  const isEmpty = (name: string) =>
    !existsSync(join(root, name, "postgres")) && !existsSync(join(root, name, "restoring"));

  it("for a folder that is no backup", async () => {
    const work = restoreBackup({
      backup: root,
      dataDir: join(root, "a"),
      log,
      onProgress: noProgress,
      examine: async () => undefined,
    });
    await expect(work).rejects.toThrow(`${root} is no finished backup: it has no ${MANIFEST_FILE}`);
  });

  it("for a file that is not what was backed up, or missing", async () => {
    const changed = await withManifest(({ files }) => {
      for (const file of files) if (file.path.endsWith("PG_VERSION")) file.sha256 = "0".repeat(64);
    }, "b");
    expect(String(changed)).toMatch(/the backup is damaged: .*PG_VERSION is not what was backed up/);
    const missing = await withManifest(
      ({ files }) => files.push({ path: "postgres/base/gone", bytes: 1, sha256: "0".repeat(64) }),
      "b",
    );
    expect(String(missing)).toMatch(/the backup is damaged: .*base\/gone is missing/);
    expect(isEmpty("b")).toBe(true);
  });

  it.each(["postgres/../../x", "../x", "/etc/passwd", "other/x", "postgres/..", "postgres/a\\..\\b"])(
    "for a path that leads elsewhere: %s",
    async (path) => {
      const error = await withManifest(
        ({ files }) => files.push({ path, bytes: 1, sha256: "0".repeat(64) }),
        "c",
      );
      expect(String(error)).toContain("is damaged, or of a later version of the service");
      expect(isEmpty("c")).toBe(true);
    },
  );

  it("for another PostgreSQL, more than the disk holds, and a folder with a database", async () => {
    const other = await withManifest((manifest) => {
      manifest.postgresMajor = 14;
    }, "d");
    expect(String(other)).toMatch(
      /the backup is of PostgreSQL 14, and this version of the service has PostgreSQL \d+/,
    );
    const large = await withManifest(
      ({ files }) => files.push({ path: "postgres/large", bytes: 2 ** 52, sha256: "0".repeat(64) }),
      "d",
    );
    expect(String(large)).toMatch(/ left, and the backup takes 4504 TB/);
    expect(isEmpty("d")).toBe(true);
    await expect(restore("data")).rejects.toThrow("a restore replaces no database");
  });

  it("when what was restored does not stand the examination", async () => {
    const refused = restore("e", async () => {
      throw new BackupError("no key");
    });
    await expect(refused).rejects.toThrow("no key");
    expect(isEmpty("e")).toBe(true);
  });
});

describe("the recovery file", () => {
  it("gives back the keys, and is never written over", async () => {
    const path = join(root, "recovery");
    const keys = { secretKey: "k = 'with' signs # and spaces ", secretKeyPrevious: "p".repeat(40) };
    await writeRecoveryFile(path, keys);
    expect(await readRecoveryFile(path)).toEqual(keys);
    expect(statSync(path).mode & 0o077).toBe(0);
    await expect(writeRecoveryFile(path, keys)).rejects.toMatchObject({ code: "EEXIST" });
  });

  it("is refused when it holds no key, and with a key that has lines", async () => {
    writeFileSync(join(root, "other"), "HOME=/root\n");
    await expect(readRecoveryFile(join(root, "other"))).rejects.toThrow("is no recovery file");
    await expect(readRecoveryFile(join(root, "absent"))).rejects.toThrow("can't be read");
    await expect(writeRecoveryFile(join(root, "lines"), { secretKey: "a\nb" })).rejects.toThrow(BackupError);
  });
});

describe("progress", () => {
  it("is written once a second, with sizes for people", () => {
    const lines: string[] = [];
    let nowMs = 0;
    const onProgress = progressLines(
      (line) => lines.push(line),
      () => nowMs,
    );
    onProgress({ doneBytes: 1, totalBytes: 10 });
    nowMs = 1_000;
    onProgress({ doneBytes: 512_000_000, totalBytes: 3_400_000_000 });
    nowMs = 1_500;
    onProgress({ doneBytes: 3_400_000_000, totalBytes: 3_400_000_000 });
    nowMs = 2_000;
    onProgress({ doneBytes: 0, totalBytes: 0 });
    expect(lines).toEqual(["512 MB of 3.4 GB (15 %)", "0.0 kB of 0.0 kB (100 %)"]);
    expect([999_600, 1_000_000, 123_456_789_000_000].map(sizeText)).toEqual(["1.0 MB", "1.0 MB", "123 TB"]);
  });
});
