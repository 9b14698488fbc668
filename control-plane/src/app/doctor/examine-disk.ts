/** Examines the disk of the data folder: free space, and whether it lasts for the results that are to be kept. */
import { accessSync, constants, existsSync } from "node:fs";
import { resolve } from "node:path";
import { DAY_MS, type Finding, found } from "@svc/contract";
import type { Config } from "../../platform/config.ts";
import { engineOf } from "../../platform/db/engine.ts";
import { dayOf, partitionName } from "../../results/retention/partitions.ts";
import type { Patient } from "./patient.ts";
import { type DatabaseBytes, readDatabaseBytes } from "./store.ts";

const GIB = 1024 ** 3;
/** Free bytes below which the database may stop any minute. */
const FREE_BYTES_MIN = GIB;
/** Free share below which there is time to act. */
const FREE_SHARE_WARNED = 0.1;

/** Returns the state of the disk; of one's own database server only the size of the database can be seen from here. */
export async function examineDisk(patient: Patient): Promise<Finding[]> {
  const { config } = patient;
  const size = await databaseSize(patient);
  if (config.databaseUrl && !isFolderUsed(config))
    return [
      size
        ? found.ok(
            `the database has ${bytesText(size.bytes)}, on its own server, whose disk can't be seen from here`,
          )
        : found.skipped("nothing is stored on this machine"),
    ];
  return [...folderFindings(patient), ...(size && !config.databaseUrl ? growthFindings(patient, size) : [])];
}

/** True when pictures and videos lie in the data folder. */
function isFolderUsed({ artifacts }: Config): boolean {
  return artifacts === "folder";
}

function folderFindings({ config, machine }: Patient): Finding[] {
  const folder = resolve(config.dataDir);
  if (!existsSync(folder))
    return [found.skipped(`there is no data folder yet: the first start makes ${folder}`)];
  const findings: Finding[] = [];
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    findings.push(
      found.problem(
        `this account may not write to ${folder}`,
        "run the service, and this command, as the account that owns the folder",
      ),
    );
  }
  const { freeBytes, totalBytes } = machine.space(folder);
  const text = `${bytesText(freeBytes)} of ${bytesText(totalBytes)} are free under ${folder}`;
  const remedy = "free space, move SVC_DATA_DIR to a larger disk, or lower SVC_RETENTION_DAYS";
  if (freeBytes < FREE_BYTES_MIN) findings.push(found.problem(text, remedy));
  else
    findings.push(freeBytes < totalBytes * FREE_SHARE_WARNED ? found.warning(text, remedy) : found.ok(text));
  return findings;
}

async function databaseSize({ knex, machine }: Patient): Promise<DatabaseBytes | undefined> {
  if (!knex || engineOf(knex) === "citus") return undefined;
  const yesterdayMs = dayOf(machine.clock.nowMs()) - DAY_MS;
  // A day of results has its rows in tables of hours and parts, whose names begin with the day's.
  return readDatabaseBytes(knex, [
    partitionName("result_details", yesterdayMs),
    `${partitionName("results", yesterdayMs)}%`,
  ]);
}

function growthFindings({ config, machine }: Patient, { bytes, dayBytes }: DatabaseBytes): Finding[] {
  const { freeBytes } = machine.space(resolve(config.dataDir));
  const wholeBytes = dayBytes * config.retentionDays;
  const text = `the database has ${bytesText(bytes)}`;
  if (wholeBytes < GIB) return [found.ok(text)];
  const forecast = `${text}; yesterday's results took ${bytesText(dayBytes)}, so the ${config.retentionDays} days that are kept take ${bytesText(wholeBytes)}`;
  if (wholeBytes <= bytes + freeBytes - FREE_BYTES_MIN) return [found.ok(forecast)];
  return [
    found.warning(
      `${forecast}, and ${bytesText(freeBytes)} are free`,
      "move SVC_DATA_DIR to a larger disk, or lower SVC_RETENTION_DAYS",
    ),
  ];
}

/** Returns a number of bytes for people. */
function bytesText(bytes: number): string {
  return bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`;
}
