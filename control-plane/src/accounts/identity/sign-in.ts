/** Ways to sign in that end in a session: by password and by one-time link. The third one, OpenID Connect, is in oidc.ts. */
import { DAY_MS, DomainError, type TeamId, type UserId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { verifyPassword } from "./passwords.ts";
import { SESSION_LIFETIME_MS } from "./session-cookie.ts";
import {
  findAccountByEmail,
  findFirstTeamId,
  hasSignInLink,
  insertSession,
  insertSignInLink,
  useSignInLink,
} from "./store.ts";
import { hashToken, newToken } from "./tokens.ts";

/** Time within which a one-time link may be used. */
export const SIGN_IN_LINK_LIFETIME_MS = DAY_MS;
/** Path of the page that a one-time link opens. */
export const SIGN_IN_LINK_PATH = "/auth/link";
/** Words about a link that signs nobody in. */
export const LINK_GONE = "This sign-in link was used before or has expired; ask the operator for another";

/** A person in a team. */
export interface Membership {
  userId: UserId;
  teamId: TeamId;
}

/** A person who has just signed in to a team. */
export interface SignedIn extends Membership {
  /** The session's token, for the cookie. */
  token: string;
}

type Access = Pick<Services, "knex" | "clock">;

/**
 * Signs a person in by email and password.
 * @throws DomainError `unauthenticated`, with one wording and duration whether the account or the password is wrong
 */
export async function signInByPassword(
  services: Access,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const account = await findAccountByEmail(services.knex, email);
  const isRight = await verifyPassword(password, account?.passwordHash);
  if (!account || !isRight) throw new DomainError("unauthenticated", "Wrong email or password");
  return startSession(services, { userId: account.id });
}

/**
 * Signs a person in by a one-time link, which is used up by that.
 * @throws DomainError `gone` when the link was used, has expired or never was
 */
export async function signInByLink(services: Access, token: string): Promise<SignedIn> {
  const { knex, clock } = services;
  const grant = await useSignInLink(knex, { tokenHash: hashToken(token), now: new Date(clock.nowMs()) });
  if (!grant) throw new DomainError("gone", LINK_GONE);
  return startSession(services, grant);
}

/** True when the link was not used yet and has not expired. Uses nothing up. */
export async function isLinkUsable({ knex, clock }: Access, token: string): Promise<boolean> {
  return hasSignInLink(knex, { tokenHash: hashToken(token), now: new Date(clock.nowMs()) });
}

/**
 * Opens a session of a person, without a team in the first one they joined.
 * @throws DomainError `forbidden` when the person belongs to no team
 */
export async function startSession(
  { knex, clock }: Access,
  { userId, teamId: wantedTeamId }: { userId: UserId; teamId?: TeamId },
): Promise<SignedIn> {
  const teamId = wantedTeamId ?? (await findFirstTeamId(knex, userId));
  if (!teamId)
    throw new DomainError("forbidden", "This account belongs to no team; ask the operator to add it");
  const token = newToken();
  const nowMs = clock.nowMs();
  await insertSession(knex, {
    tokenHash: hashToken(token),
    userId,
    teamId,
    expiresAt: new Date(nowMs + SESSION_LIFETIME_MS),
    createdAt: new Date(nowMs),
  });
  return { userId, teamId, token };
}

/** Makes a one-time link that signs the person in to the team, and returns its URL. */
export async function createSignInLink(
  { knex, clock, publicUrl }: Pick<Services, "knex" | "clock" | "publicUrl">,
  { userId, teamId }: Membership,
): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(clock.nowMs() + SIGN_IN_LINK_LIFETIME_MS);
  await insertSignInLink(knex, { tokenHash: hashToken(token), userId, teamId, expiresAt });
  return `${publicUrl()}${SIGN_IN_LINK_PATH}?token=${token}`;
}
