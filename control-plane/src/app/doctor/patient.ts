/** The installation that the doctor examines: its settings, its database as far as it can be opened, and the machine. */
import { execFile } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Finding, found } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { CLUSTER_FOLDER } from "../../platform/db/backup/backup-files.ts";
import { reasonOf } from "../../platform/db/errors.ts";
import { listPendingMigrations } from "../../platform/db/migrate.ts";
import { allMigrations } from "../../platform/db/migrations/registry.ts";
import { type OpenDatabase, openDatabaseBeside } from "../../platform/db/open-database.ts";
import { openPool } from "../../platform/db/pool.ts";
import { databaseRemedy } from "./database-remedy.ts";

/** Facts about the machine. */
export interface MachineTools {
  clock: Clock;
  /** Returns the free and the total bytes of the file system on which a folder lies, as far as this account may use them. */
  space(folder: string): { freeBytes: number; totalBytes: number };
  /** Resolves with true when the system keeps its clock by a time server; undefined where it does not say. */
  isClockSynchronized(): Promise<boolean | undefined>;
}

/** Trials that the operator asked for. */
interface DoctorOptions {
  /** Address that a test mail is sent to. */
  mailTo?: string | undefined;
  /** URLs that are requested under the policy of checks. */
  reach: readonly string[];
}

/** The installation that is examined. */
export interface Patient {
  config: Config;
  log: Logger;
  machine: MachineTools;
  options: DoctorOptions;
  /** Names of the migrations that the database lacks; empty when it can't be asked. */
  pendingMigrations: readonly string[];
  /** The database; undefined when there is none or it can't be asked. */
  knex: Knex | undefined;
  /** Findings of the attempt to open the database. */
  databaseFindings: readonly Finding[];
}

/** A patient whose database is open. */
export interface OpenPatient {
  patient: Patient;
  close(): Promise<void>;
}

/** Opens the installation. The embedded database is started for it when it stands still; none is made where there is none. */
export async function openPatient(
  config: Config,
  parts: Pick<Patient, "log" | "machine" | "options">,
): Promise<OpenPatient> {
  const patient: Patient = {
    ...parts,
    config,
    pendingMigrations: [],
    knex: undefined,
    databaseFindings: [],
  };
  if (!hasDatabase(config)) {
    const message = `there is no database yet: the first start makes one in ${resolve(config.dataDir)}`;
    return {
      patient: { ...patient, databaseFindings: [found.skipped(message)] },
      close: async () => undefined,
    };
  }
  let database: OpenDatabase | undefined;
  let knex: Knex | undefined;
  const close = async () => {
    await knex?.destroy();
    await database?.close();
  };
  try {
    database = await openDatabaseBeside(config, parts.log);
    const pendingMigrations = await listPendingMigrations(database.connection);
    if (pendingMigrations.length === allMigrations().length) {
      const message = "the database is empty: the first start makes its tables";
      return { patient: { ...patient, databaseFindings: [found.skipped(message)] }, close };
    }
    knex = openPool(database.connection, { poolMax: 4 });
    return { patient: { ...patient, knex, pendingMigrations }, close };
  } catch (error) {
    const finding = found.problem(
      `the database can't be reached: ${reasonOf(error)}`,
      databaseRemedy(config, error),
    );
    return { patient: { ...patient, databaseFindings: [finding] }, close };
  }
}

function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  return Boolean(databaseUrl) || existsSync(join(resolve(dataDir), CLUSTER_FOLDER, "PG_VERSION"));
}

const TIMEDATECTL_TIMEOUT_MS = 2_000;

/** Returns the tools of this machine. */
export function thisMachine(clock: Clock): MachineTools {
  return {
    clock,
    space: (folder) => {
      const { bavail, blocks, bsize } = statfsSync(folder);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    isClockSynchronized: async () => {
      try {
        const { stdout } = await promisify(execFile)(
          "timedatectl",
          ["show", "--property=NTPSynchronized", "--value"],
          {
            timeout: TIMEDATECTL_TIMEOUT_MS,
          },
        );
        return stdout.trim() === "" ? undefined : stdout.trim() === "yes";
      } catch {
        return undefined;
      }
    },
  };
}
