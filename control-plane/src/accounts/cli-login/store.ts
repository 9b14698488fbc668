/** Device codes in the database: sign-ins of the command line that are under way. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";

export interface DeviceCodeRow {
  deviceCodeHash: Buffer;
  userCode: string;
  clientName: string;
  expiresAt: Date;
  createdAt: Date;
}

/** Somebody's decision about a code. */
export interface DecidedCode {
  clientName: string;
  teamId: TeamId;
  userId: string;
  decision: "authorize" | "deny";
}

/** Adds a code and removes expired ones. @returns false when the user code is taken: choose another */
export async function insertDeviceCode(knex: Knex, row: DeviceCodeRow): Promise<boolean> {
  await knex("deviceCodes").where("expiresAt", "<=", row.createdAt).delete();
  const inserted = await knex("deviceCodes")
    .insert(row)
    .onConflict("userCode")
    .ignore()
    .returning("userCode");
  return inserted.length > 0;
}

/** A code that waits for a decision, as the person sees it. */
export async function findUndecidedCode(
  knex: Knex,
  userCode: string,
  now: Date,
): Promise<{ clientName: string } | undefined> {
  return knex("deviceCodes")
    .where({ userCode })
    .whereNull("decision")
    .where("expiresAt", ">", now)
    .first("clientName");
}

/** @returns false when there is no such code that waits for a decision */
export async function decideCode(
  trx: Knex,
  userCode: string,
  decided: Omit<DecidedCode, "clientName">,
  now: Date,
): Promise<boolean> {
  const updated = await trx("deviceCodes")
    .where({ userCode })
    .whereNull("decision")
    .where("expiresAt", ">", now)
    .update(decided);
  return updated > 0;
}

/** What has become of a code; undefined when it is not there (any more). */
export async function findCode(
  knex: Knex,
  deviceCodeHash: Buffer,
  now: Date,
): Promise<{ decision: DecidedCode["decision"] | null } | undefined> {
  return knex("deviceCodes").where({ deviceCodeHash }).where("expiresAt", ">", now).first("decision");
}

/** Takes a code that was authorized: only one caller gets it. */
export async function takeAuthorizedCode(
  trx: Knex,
  deviceCodeHash: Buffer,
  now: Date,
): Promise<DecidedCode | undefined> {
  const [taken] = await trx("deviceCodes")
    .where({ deviceCodeHash, decision: "authorize" })
    .where("expiresAt", ">", now)
    .delete()
    .returning(["clientName", "teamId", "userId", "decision"]);
  return taken;
}
