/**
 * Accepting an invitation. Its link proves that somebody of the team wants the person with that email address, and
 * nothing about who holds the link: an account that exists is entered by its own password or session only.
 */
import { DomainError, invalidField, newId, newPasswordSchema, type UserId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { Origin } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashPassword, verifyPassword } from "../identity/passwords.ts";
import { type SignedIn, startSignInSession } from "../identity/sign-in.ts";
import { type Account, findAccountByEmail } from "../identity/store.ts";
import { hashToken } from "../identity/tokens.ts";
import { ensureUser } from "../teams/store.ts";
import { claimInvitation, findOpenInvitation, insertMembership, type OpenInvitation } from "./store.ts";

/** Words about an invitation that nobody can accept. */
export const INVITATION_GONE = "This invitation was accepted or revoked, or has expired; ask for another one";

/** An invitation as the person with its link sees it. */
export interface InvitationView extends OpenInvitation {
  /**
   * The proof that the person has to give: a password to be chosen, the one of their account, a session of it, or none,
   * because they are signed in or the identity provider asks for it.
   */
  needs: "new_password" | "password" | "session" | "nothing";
}

/** A request of the person who holds an invitation's link. */
export interface Acceptance {
  token: string;
  password?: string | undefined;
  /** Person who is signed in in this browser. */
  signedInUserId: UserId | undefined;
  origin: Origin;
}

/** Returns the invitation that a link stands for; undefined when nobody can accept it. Uses nothing up. */
export async function findInvitation(
  services: Services,
  { token, signedInUserId }: Pick<Acceptance, "token" | "signedInUserId">,
): Promise<InvitationView | undefined> {
  const { knex, clock } = services;
  const now = new Date(clock.nowMs());
  const invitation = await findOpenInvitation(knex, { tokenHash: hashToken(token), now });
  if (!invitation) return undefined;
  const account = await findAccountByEmail(knex, invitation.email);
  return { ...invitation, needs: proofNeeded(services, account, signedInUserId) };
}

/**
 * Adds the person to the team, with a new account when there is none, and signs them in.
 * @returns undefined when the person is to sign in through the identity provider
 * @throws DomainError `gone` when nobody can accept the invitation; `invalid` without a good password to choose;
 *   `unauthenticated` for a wrong one; `forbidden` when the account has none and nobody is signed in to it
 */
export async function acceptInvitation(
  services: Services,
  { token, password = "", signedInUserId, origin }: Acceptance,
): Promise<SignedIn | undefined> {
  const { knex, clock, config } = services;
  const now = new Date(clock.nowMs());
  const tokenHash = hashToken(token);
  const invitation = await findOpenInvitation(knex, { tokenHash, now });
  if (!invitation) throw new DomainError("gone", INVITATION_GONE);
  const { teamId, email, role } = invitation;
  const account = await findAccountByEmail(knex, email);
  const passwordHash = await proveIdentity(services, { account, password, signedInUserId });
  return knex.transaction(async (trx) => {
    if (!(await claimInvitation(trx, tokenHash))) throw new DomainError("gone", INVITATION_GONE);
    const userId = await ensureUser(trx, { id: newId("user"), email, passwordHash, createdAt: now });
    // Somebody else made the account meanwhile, with another password.
    if (!account && (await findAccountByEmail(trx, email))?.passwordHash !== passwordHash)
      throw new DomainError("conflict", "This account was made a moment ago; open the link once more");
    const isAdded = await insertMembership(trx, { teamId, userId, role, createdAt: now });
    // Where the identity provider proves identities, a link alone proves none.
    const actor = config.oidcIssuer && signedInUserId !== userId ? null : userId;
    const ctx = { services, teamId, author: { source: "ui", actor, origin } } as const;
    const about = { resourceId: userId, resourceName: email };
    const detail = { role, by: "invitation", account: account ? "existing" : "new" };
    if (isAdded) await recordAudit(ctx, { action: "member.added", ...about, detail }, trx);
    if (passwordHash !== null) await recordAudit(ctx, { action: "password.set", ...about }, trx);
    return config.oidcIssuer
      ? undefined
      : startSignInSession({ ...services, knex: trx }, { userId, teamId, by: "invitation", origin });
  });
}

function proofNeeded(
  { config }: Services,
  account: Account | undefined,
  signedInUserId: UserId | undefined,
): InvitationView["needs"] {
  if (config.oidcIssuer) return "nothing";
  if (!account) return "new_password";
  if (account.id === signedInUserId) return "nothing";
  return account.passwordHash === null ? "session" : "password";
}

/** Returns the password hash of a new account; null when the account is there or needs none. */
async function proveIdentity(
  services: Services,
  {
    account,
    password,
    signedInUserId,
  }: { account: Account | undefined; password: string; signedInUserId: UserId | undefined },
): Promise<string | null> {
  switch (proofNeeded(services, account, signedInUserId)) {
    case "nothing":
      return null;
    case "new_password": {
      const chosen = newPasswordSchema.safeParse(password);
      if (!chosen.success) throw invalidField("password", chosen.error.issues[0]?.message ?? "is needed");
      return hashPassword(chosen.data);
    }
    case "session":
      throw new DomainError(
        "forbidden",
        "Your account signs in by a one-time link: ask the operator for one, sign in, then open the invitation again",
      );
    case "password":
      if (!(await verifyPassword(password, account?.passwordHash)))
        throw new DomainError("unauthenticated", "Wrong password of your account");
      return null;
  }
}
