/** People, keys of each role and screens for a team of a test. */
import { type KeyRole, newId, type TeamId, type TeamRole, type UserId } from "@svc/contract";
import { DISPLAY_COOKIE } from "../src/accounts/identity/display-cookie.ts";
import { SESSION_COOKIE } from "../src/accounts/identity/session-cookie.ts";
import { hashToken, keyPrefixOf, newKey, newToken } from "../src/accounts/identity/tokens.ts";
import type { TestApp, TestTeam } from "./app.ts";

/** A person of a team, signed in. */
export interface TestPerson {
  userId: UserId;
  email: string;
  bySession: TestTeam["bySession"];
}

/** Adds a person to the team and signs them in. */
export async function addPerson(
  test: TestApp,
  { teamId, role }: { teamId: TeamId; role: TeamRole },
): Promise<TestPerson> {
  const { knex } = test.services;
  const userId = newId("user");
  const email = `${userId}@example.com`;
  await knex("users").insert({ id: userId, email, name: `Pat ${role}` });
  await knex("memberships").insert({ teamId, userId, role });
  return { userId, email, bySession: await addSession(test, { userId, teamId }) };
}

/** Signs a person in once more, as another browser would. Returns the headers of its requests. */
export async function addSession(
  { services: { knex, clock, publicUrl } }: TestApp,
  { userId, teamId }: { userId: UserId; teamId: TeamId },
): Promise<TestTeam["bySession"]> {
  const token = newToken();
  const nowMs = clock.nowMs();
  await knex("sessions").insert({
    tokenHash: hashToken(token),
    userId,
    teamId,
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + 24 * 60 * 60 * 1000),
  });
  return { cookie: `${SESSION_COOKIE}=${token}`, origin: publicUrl() };
}

/** Adds a key to the team and returns the headers of its requests. */
export async function addKey(
  { services: { knex } }: TestApp,
  { teamId, role, expiresAt }: { teamId: TeamId; role: KeyRole; expiresAt?: Date },
): Promise<TestTeam["byKey"]> {
  const secret = newKey("sk_");
  await knex("apiKeys").insert({
    id: newId("apiKey"),
    teamId,
    name: `Key of a ${role}`,
    keyPrefix: keyPrefixOf(secret),
    keyHash: hashToken(secret),
    source: "manual",
    role,
    expiresAt,
  });
  return { authorization: `Bearer ${secret}` };
}

/** Makes a display link of the team and returns the headers of a screen's requests. */
export async function addDisplay(
  { services: { knex, clock } }: TestApp,
  { teamId }: { teamId: TeamId },
): Promise<{ cookie: string }> {
  const secret = newKey("dl_");
  const nowMs = clock.nowMs();
  await knex("displayLinks").insert({
    id: newId("displayLink"),
    teamId,
    name: "Screen of a test",
    secretHash: hashToken(secret),
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + 24 * 60 * 60 * 1000),
  });
  return { cookie: `${DISPLAY_COOKIE}=${secret}` };
}
