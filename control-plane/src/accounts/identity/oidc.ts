/** Signs people in through an identity provider: OpenID Connect, authorization code with PKCE. */
import { DomainError, isLoopbackHost } from "@svc/contract";
import * as oidc from "openid-client";
import type { Services } from "../../platform/services.ts";
import { type SignedIn, startSession } from "./sign-in.ts";
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
 * Opens a session of the account that is tied to the identity. Without one, ties the account with the identity's verified
 * email address to it, and to no other from now on.
 * @throws DomainError `forbidden` when there is no such account, or it is tied to another identity: only the operator makes
 *   teams and accounts
 */
export async function signInByProvenIdentity(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  identity: ProvenIdentity,
): Promise<SignedIn> {
  const tied = await findAccountBySubject(knex, identity.subject);
  if (tied) return startSession({ knex, clock }, { userId: tied.id });
  const byEmail =
    identity.email && identity.isEmailVerified ? await findAccountByEmail(knex, identity.email) : undefined;
  if (!byEmail)
    throw new DomainError(
      "forbidden",
      `There is no account for ${identity.email ?? "this identity"}${identity.isEmailVerified ? "" : " with a verified email address"}; ask the operator to add it`,
    );
  // An address that was given to someone else at the provider must not carry the account along.
  if (!(await tieToSubject(knex, { userId: byEmail.id, subject: identity.subject })))
    throw new DomainError(
      "forbidden",
      `The account of ${identity.email} belongs to another identity at the provider; ask the operator`,
    );
  return startSession({ knex, clock }, { userId: byEmail.id });
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
