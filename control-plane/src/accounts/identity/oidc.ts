/** Signs people in through an identity provider: OpenID Connect, authorization code with PKCE. */
import { DomainError, isLoopbackHost, newId } from "@svc/contract";
import * as oidc from "openid-client";
import type { Services } from "../../platform/services.ts";
import type { Origin } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { insertMembership } from "../people/store.ts";
import { ensureUser, hasTeam } from "../teams/store.ts";
import { type SignedIn, startSignInSession } from "./sign-in.ts";
import { findAccountByEmail, findAccountBySubject, tieToSubject } from "./store.ts";

/** Secrets of a sign-in that are kept in the browser between leaving for the provider and coming back. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A person as the provider proved it. */
interface ProvenIdentity {
  /** Issuer and subject, separated by a space: the provider's own, lasting name for the person. */
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
}

/** Both steps of a sign-in: sending the browser away, and receiving it back. */
export interface OidcClient {
  /** Returns the URL to send the browser to, and what to keep until it comes back. */
  start(): Promise<{ url: string; pending: PendingSignIn }>;
  /**
   * Returns the person whom the provider confirms.
   * @param callbackUrl the URL that the provider sent the browser to, with its query
   * @throws DomainError `unauthenticated` or `unavailable`
   */
  finish(callbackUrl: URL, pending: PendingSignIn): Promise<ProvenIdentity>;
}

/** Settings of an identity provider. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** URL that the provider sends the browser back to; must be registered there. */
  redirectUri: string;
}

/** Returns a client that discovers the provider at the first sign-in, and again after a discovery that failed. */
export function createOidcClient(settings: OidcSettings): OidcClient {
  const { redirectUri } = settings;
  let known: Promise<oidc.Configuration> | undefined;
  const provider = () => {
    known ??= discover(settings).catch((cause) => {
      known = undefined;
      throw new DomainError("unavailable", "The identity provider can't be reached at the moment", { cause });
    });
    return known;
  };
  return {
    async start() {
      const configuration = await provider();
      const pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, pending };
    },
    async finish(callbackUrl, pending) {
      const configuration = await provider();
      const tokens = await oidc
        .authorizationCodeGrant(configuration, callbackUrl, {
          pkceCodeVerifier: pending.codeVerifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        })
        .catch((cause) => {
          throw new DomainError("unauthenticated", "The identity provider did not confirm the sign-in", {
            cause,
          });
        });
      const claims = tokens.claims();
      if (!claims) throw new DomainError("unauthenticated", "The identity provider sent no identity");
      return {
        subject: `${claims.iss} ${claims.sub}`,
        email: typeof claims.email === "string" ? claims.email : undefined,
        isEmailVerified: claims.email_verified === true,
      };
    },
  };
}

/**
 * Opens a session of the account that is tied to the identity. Without one, ties the account with the identity's
 * verified email address to it, and to no other from now on. Makes an account where the operator allows that for the
 * address's domain.
 * @throws DomainError `forbidden` when there is no such account, or it is tied to another identity
 */
export async function signInByProvenIdentity(
  services: Pick<Services, "knex" | "clock" | "onAudit" | "config">,
  { identity, origin }: { identity: ProvenIdentity; origin: Origin },
): Promise<SignedIn> {
  const { knex } = services;
  const tied = await findAccountBySubject(knex, identity.subject);
  if (tied) return startSignInSession(services, { userId: tied.id, by: "oidc", origin });
  const byEmail =
    identity.email && identity.isEmailVerified ? await findAccountByEmail(knex, identity.email) : undefined;
  if (!byEmail) {
    const signedIn = await joinByDomain(services, { ...identity, origin });
    if (signedIn) return signedIn;
    throw new DomainError(
      "forbidden",
      `There is no account for ${identity.email ?? "this identity"}${identity.isEmailVerified ? "" : " with a verified email address"}; ask the operator to add it`,
    );
  }
  // An address that was given to someone else at the provider must not carry the account along.
  if (!(await tieToSubject(knex, { userId: byEmail.id, subject: identity.subject })))
    throw new DomainError(
      "forbidden",
      `The account of ${identity.email} belongs to another identity at the provider; ask the operator`,
    );
  return startSignInSession(services, { userId: byEmail.id, by: "oidc", origin });
}

/**
 * Makes an account in the team that the operator named for the domain of a verified address; undefined without such a
 * rule.
 */
async function joinByDomain(
  services: Pick<Services, "knex" | "clock" | "onAudit" | "config">,
  { subject, email, isEmailVerified, origin }: ProvenIdentity & { origin: Origin },
): Promise<SignedIn | undefined> {
  const { knex, clock, config } = services;
  if (!email || !isEmailVerified) return undefined;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const rule = config.oidcAllowedDomains.find((one) => one.domain === domain);
  if (!rule || !(await hasTeam(knex, rule.teamId))) return undefined;
  const { teamId, role } = rule;
  const createdAt = new Date(clock.nowMs());
  return knex.transaction(async (trx) => {
    const newUserId = newId("user");
    const userId = await ensureUser(trx, { id: newUserId, email, passwordHash: null, createdAt });
    if (!(await tieToSubject(trx, { userId, subject })))
      throw new DomainError("conflict", "This account was made a moment ago; sign in once more");
    const isAdded = await insertMembership(trx, { teamId, userId, role, createdAt });
    const author = { source: "ui", actor: userId, origin } as const;
    const about = { resourceId: userId, resourceName: email };
    const detail = { role, by: "oidc_domain", account: userId === newUserId ? "new" : "existing" };
    if (isAdded)
      await recordAudit({ services, teamId, author }, { action: "member.added", ...about, detail }, trx);
    return startSignInSession({ ...services, knex: trx }, { userId, teamId, by: "oidc", origin });
  });
}

function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  // Plain http is for a provider on this very machine.
  const isLocal = url.protocol === "http:" && isLoopbackHost(url.hostname);
  return oidc.discovery(url, clientId, clientSecret, undefined, {
    execute: isLocal ? [oidc.allowInsecureRequests] : [],
    timeout: 10,
  });
}
