/** Ways to sign in that end in a session: by password and by one-time link. The third one, OpenID Connect, is in oidc.ts. */
import { DAY_MS, DomainError, type TeamId, type UserId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { Origin } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { recordAccountAction } from "./record-account-action.ts";
import { recordFailedSignIn } from "./record-failed-sign-in.ts";
import { SESSION_LIFETIME_MS } from "./session-cookie.ts";
import {
  findAccountByEmail,
  findFirstTeamId,
  findSignInLink,
  insertSignInLink,
  insertSignInSession,
  isMember,
  setFirstPassword,
  useSignInLink,
} from "./store.ts";
import { hashToken, newToken } from "./tokens.ts";

/** Time within which a one-time link may be used. */
export const SIGN_IN_LINK_LIFETIME_MS = DAY_MS;
/** Path of the page that a one-time link opens. */
export const SIGN_IN_LINK_PATH = "/auth/link";
/** Words about a link that signs nobody in. */
const LINK_GONE = "This sign-in link was used before or has expired; ask the operator for another";

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
type Recording = Pick<Services, "knex" | "clock" | "onAudit">;

/** A way to sign in. */
type SignInWay = "password" | "link" | "oidc" | "invitation";

/**
 * Signs a person in by email and password.
 * @throws DomainError `unauthenticated`, with one wording and duration whether the account or the password is wrong
 */
export async function signInByPassword(
  services: Recording,
  { email, password, origin }: { email: string; password: string; origin: Origin },
): Promise<SignedIn> {
  const account = await findAccountByEmail(services.knex, email);
  const isRight = await verifyPassword(password, account?.passwordHash);
  if (account && isRight) return startSignInSession(services, { userId: account.id, by: "password", origin });
  await recordFailedSignIn(services, { account, origin });
  throw new DomainError("unauthenticated", "Wrong email or password");
}

/**
 * Signs a person in by a one-time link, which is used up by that.
 * @param input.firstPassword becomes the password of an account that has none
 * @throws DomainError `gone` when the link was used, has expired or never was
 */
export async function signInByLink(
  services: Recording,
  { token, firstPassword, origin }: { token: string; firstPassword?: string | undefined; origin: Origin },
): Promise<SignedIn> {
  const { knex, clock } = services;
  const grant = await useSignInLink(knex, { tokenHash: hashToken(token), now: new Date(clock.nowMs()) });
  if (!grant) throw new DomainError("gone", LINK_GONE);
  if (firstPassword !== undefined)
    await chooseFirstPassword(services, { userId: grant.userId, firstPassword, origin });
  return startSignInSession(services, { ...grant, by: "link", origin });
}

async function chooseFirstPassword(
  services: Recording,
  { userId, firstPassword, origin }: { userId: UserId; firstPassword: string; origin: Origin },
): Promise<void> {
  const passwordHash = await hashPassword(firstPassword);
  const author = { source: "ui", actor: userId, origin } as const;
  await services.knex.transaction(async (trx) => {
    if (await setFirstPassword(trx, { userId, passwordHash }))
      await recordAccountAction({ services, author }, trx, { action: "password.set", userId });
  });
}

/** Returns a link that was not used yet and has not expired, or undefined. Uses nothing up. */
export async function findUsableLink(
  { knex, clock }: Access,
  token: string,
): Promise<{ hasPassword: boolean } | undefined> {
  return findSignInLink(knex, { tokenHash: hashToken(token), now: new Date(clock.nowMs()) });
}

/** A person who has proved who they are. */
export interface ProvenPerson {
  userId: UserId;
  /** Default: the team that the person used last. */
  teamId?: TeamId;
  by: SignInWay;
  origin: Origin;
}

/**
 * Opens a session of a person, without a team in the one they used last, and records that in the audit log.
 * @throws DomainError `forbidden` when the person belongs to no team, or not to the one named
 */
export async function startSignInSession(services: Recording, person: ProvenPerson): Promise<SignedIn> {
  const { knex, clock } = services;
  const { userId, by, origin } = person;
  const teamId = person.teamId ?? (await findFirstTeamId(knex, userId));
  if (!teamId)
    throw new DomainError("forbidden", "This account belongs to no team; ask the operator to add it");
  if (person.teamId && !(await isMember(knex, { userId, teamId })))
    throw new DomainError("forbidden", "This account is not in that team any more");
  const token = newToken();
  const nowMs = clock.nowMs();
  await knex.transaction(async (trx) => {
    await insertSignInSession(trx, {
      tokenHash: hashToken(token),
      userId,
      teamId,
      expiresAt: new Date(nowMs + SESSION_LIFETIME_MS),
      createdAt: new Date(nowMs),
    });
    const author = { source: "ui", actor: userId, origin } as const;
    await recordAudit({ services, teamId, author }, { action: "session.started", detail: { by } }, trx);
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
