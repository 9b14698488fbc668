/** SQL of the times at which replicas could read no changes. */
import { wholeMs } from "@svc/contract";
import type { Knex } from "knex";

/** A time of the control plane's clock, Unix ms, both ends included. */
export interface Outage {
  fromMs: number;
  untilMs: number;
}

/** The table of outages. */
export interface OutageStore {
  /** See {@link insertOutage}. */
  insertOutage(replicaId: string, outage: Outage): Promise<void>;
}

/** Records that the replica could read no changes for a time. Recording it again does nothing. */
export async function insertOutage(db: Knex, replicaId: string, { fromMs, untilMs }: Outage): Promise<void> {
  await db("serviceOutages")
    .insert({ replicaId, fromMs: wholeMs(fromMs), untilMs: wholeMs(untilMs) })
    .onConflict(["replicaId", "fromMs"])
    .ignore();
}
