/** Examines the clock of this machine: by its time server, the database's clock and the clocks of others that were reached. */
import { type Finding, found } from "@svc/contract";
import type { Patient } from "./patient.ts";
import { reachAll } from "./reach.ts";
import { readServerFacts } from "./store.ts";

/** Difference to the database's clock from which leases of agents suffer, ms. */
const DATABASE_WARNED_MS = 1_000;
/** Difference to the clock of a web server, whose Date has whole seconds, ms. */
const WEB_WARNED_MS = 3_000;

const REMEDY = "let chrony or systemd-timesyncd keep the clocks of all machines";

/** Returns how the clock compares with others. */
export async function examineClock(patient: Patient, signal: AbortSignal): Promise<Finding[]> {
  return [
    ...(await synchronizationFindings(patient)),
    ...(await databaseClockFindings(patient)),
    ...(await webClockFindings(patient, signal)),
  ];
}

async function synchronizationFindings({ machine }: Patient): Promise<Finding[]> {
  const isSynchronized = await machine.isClockSynchronized();
  if (isSynchronized === undefined)
    return [found.skipped("the system does not say whether a time server keeps its clock")];
  return [
    isSynchronized
      ? found.ok("a time server keeps this machine's clock")
      : found.warning("no time server keeps this machine's clock, by which every check is scheduled", REMEDY),
  ];
}

async function databaseClockFindings({ knex, machine }: Patient): Promise<Finding[]> {
  if (!knex) return [];
  const beforeMs = machine.clock.nowMs();
  const { nowMs } = await readServerFacts(knex);
  const afterMs = machine.clock.nowMs();
  return [clockFinding("the database's", nowMs - (beforeMs + afterMs) / 2, DATABASE_WARNED_MS)];
}

async function webClockFindings(patient: Patient, signal: AbortSignal): Promise<Finding[]> {
  const reached = await reachAll(patient, signal);
  return reached.flatMap(({ url, clockOffsetMs }) =>
    clockOffsetMs === undefined
      ? []
      : [clockFinding(`that of ${new URL(url).host}`, clockOffsetMs, WEB_WARNED_MS)],
  );
}

/** Judges a clock that is ahead of this machine's by so much, ms. Pure. */
export function clockFinding(whose: string, aheadMs: number, warnedMs: number): Finding {
  if (Math.abs(aheadMs) < warnedMs) return found.ok(`this clock agrees with ${whose}`);
  const side = aheadMs > 0 ? "behind" : "ahead of";
  return found.warning(`this clock is ${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${side} ${whose}`, REMEDY);
}
