/** The tables by which mutes end, and how PostgreSQL has them. */
import type { AlertInstanceId, CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type LockedSubject, lockSubjects } from "../evaluation/locks.ts";
import {
  changeInstance,
  type InstanceChange,
  type InstanceNotice,
  notifyChannels,
  queueHeldInstance,
} from "./change-instance.ts";
import { findChecksInMaintenance } from "./maintenance-mutes.ts";
import type { InstanceDetailRow } from "./row.ts";
import { findInstanceRow, type MutedInstancesPage, readMutedInstances } from "./store.ts";

/** Writes of one transaction that changes instances. */
export interface InstanceWriter {
  /** See {@link changeInstance}. */
  changeInstance(change: InstanceChange): Promise<void>;
  /** See {@link notifyChannels}. */
  notifyChannels(notice: InstanceNotice): Promise<void>;
  /** See {@link queueHeldInstance}. */
  queueHeldInstance(held: Omit<InstanceNotice, "kind">): Promise<void>;
}

/** One transaction that may end a mute. */
interface MuteTransaction extends InstanceWriter {
  /** See {@link lockSubjects}. */
  lockSubjects(subjects: readonly LockedSubject[]): Promise<void>;
  /** See {@link findInstanceRow}. */
  findInstance(teamId: TeamId, id: AlertInstanceId): Promise<InstanceDetailRow | undefined>;
}

/** The muted instances. Every call rejects while the database is away. */
export interface MuteStore {
  /** See {@link readMutedInstances}. */
  readMutedInstances(page: MutedInstancesPage): Promise<InstanceDetailRow[]>;
  /** See {@link findChecksInMaintenance}. */
  findChecksInMaintenance(
    checks: readonly { teamId: TeamId; checkId: CheckId }[],
    atMs: number,
  ): Promise<Set<CheckId>>;
  /** Runs the work in one transaction. */
  transaction(work: (trx: MuteTransaction) => Promise<void>): Promise<void>;
}

/** Returns the writes of a transaction in PostgreSQL. */
export function postgresInstanceWriter(trx: Knex): InstanceWriter {
  return {
    changeInstance: (change) => changeInstance(trx, change),
    notifyChannels: (notice) => notifyChannels(trx, notice),
    queueHeldInstance: (held) => queueHeldInstance(trx, held),
  };
}

/** Returns the store in PostgreSQL. */
export function postgresMuteStore(knex: Knex): MuteStore {
  return {
    readMutedInstances: (page) => readMutedInstances(knex, page),
    findChecksInMaintenance: (checks, atMs) => findChecksInMaintenance(knex, checks, atMs),
    transaction: (work) =>
      knex.transaction((trx) =>
        work({
          ...postgresInstanceWriter(trx),
          lockSubjects: (subjects) => lockSubjects(trx, subjects),
          findInstance: (teamId, id) => findInstanceRow(trx, teamId, id),
        }),
      ),
  };
}
