/** SQL of device codes: sign-ins of the command line that are under way. */
import type { TeamId, UserId } from "@svc/contract";
import type { Knex } from "knex";

/** A sign-in of the command line that waits for its confirmation. */
export interface DeviceCodeRow {
  deviceCodeHash: Buffer;
  userCode: string;
  clientName: string;
  clientAddress: string;
  expiresAt: Date;
  createdAt: Date;
}

/** A request for a key as the person who decides sees it. */
export interface WaitingCode {
  clientName: string;
  /** IP address; null for a request from before addresses were stored. */
  clientAddress: string | null;
  /** ISO 8601. */
  createdAt: string;
}

/** A person's decision about a code. */
export interface Decision {
  teamId: TeamId;
  userId: UserId;
  decision: "authorize" | "deny";
}

/** A device code as its holder names it, at an instant. */
export interface DeviceCodeKey {
  deviceCodeHash: Buffer;
  now: Date;
}

/**
 * Adds a code and removes expired ones.
 * @returns false when the user code is taken: choose another one
 */
export async function insertDeviceCode(db: Knex, row: DeviceCodeRow): Promise<boolean> {
  await db("deviceCodes").where("expiresAt", "<=", row.createdAt).delete();
  const inserted = await db("deviceCodes").insert(row).onConflict("userCode").ignore().returning("userCode");
  return inserted.length > 0;
}

function undecided(db: Knex, { userCode, now }: { userCode: string; now: Date }) {
  return db("deviceCodes").where({ userCode }).whereNull("decision").where("expiresAt", ">", now);
}

/** Returns a code that waits for a decision, as the person sees it; undefined when no such code waits. */
export async function findUndecidedCode(
  db: Knex,
  code: { userCode: string; now: Date },
): Promise<WaitingCode | undefined> {
  return undecided(db, code).first("clientName", "clientAddress", "createdAt");
}

/** Stores a decision and returns the request that it is about; undefined when no such code waits for one. */
export async function decideCode(
  db: Knex,
  code: { userCode: string; now: Date },
  decision: Decision,
): Promise<WaitingCode | undefined> {
  const [decided] = await undecided(db, code)
    .update(decision)
    .returning(["clientName", "clientAddress", "createdAt"]);
  return decided;
}

/** Returns a code's decision, null while there is none; undefined when the code is gone. */
export async function findCode(
  db: Knex,
  { deviceCodeHash, now }: DeviceCodeKey,
): Promise<{ decision: Decision["decision"] | null } | undefined> {
  return db("deviceCodes").where({ deviceCodeHash }).where("expiresAt", ">", now).first("decision");
}

/** Removes a code that was authorized and returns it: only one caller gets it. */
export async function claimAuthorizedCode(
  trx: Knex,
  { deviceCodeHash, now }: DeviceCodeKey,
): Promise<(Decision & { clientName: string }) | undefined> {
  const [claimed] = await trx("deviceCodes")
    .where({ deviceCodeHash, decision: "authorize" })
    .where("expiresAt", ">", now)
    .delete()
    .returning(["clientName", "teamId", "userId", "decision"]);
  return claimed;
}
