/**
 * Routes by which the command line signs in, and the consent page. Guessing a code of eight letters out of twenty within its
 * ten minutes is hopeless at the rate that one address may ask: at 6,000 a minute, 1 in 400,000.
 */
import { deviceCodeRoutes, userCodeSchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import { originOf } from "../../platform/http/origin.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { findSignedInCaller, type PresentedToken } from "../identity/credentials.ts";
import { OIDC_START_PATH } from "../identity/oidc-routes.ts";
import { SESSION_COOKIE } from "../identity/session-cookie.ts";
import { findIdentity } from "../identity/store.ts";
import { CONSENT_PAGE_HEADERS, type ConsentView, consentPage } from "./consent-page.ts";
import { CONSENT_PATH, decideDeviceCode, exchangeDeviceCode, requestDeviceCode } from "./device-code.ts";
import { findUndecidedCode } from "./store.ts";

/** Registers the routes and the consent page. */
export function registerCliLoginRoutes(app: ApiApp, services: Services): void {
  serve(app, deviceCodeRoutes.request, async ({ body, ip }) =>
    requestDeviceCode(services, { clientName: body.clientName, clientAddress: ip }),
  );

  serve(app, deviceCodeRoutes.poll, async (request, reply) => {
    const { deviceCode } = request.body;
    const key = await exchangeDeviceCode(services, { deviceCode, origin: originOf(request, "cli") });
    return key ? { key } : reply.code(202).send({ status: "pending" as const });
  });

  serve(app, deviceCodeRoutes.decide, async (request) => {
    const { userId } = sessionOf(request.caller);
    const { userCode, decision } = request.body;
    await decideDeviceCode(contextOf(services, request), { userCode, decision, userId });
    return { success: true as const };
  });

  app.get(
    CONSENT_PATH,
    {
      config: { access: "public" },
      schema: { hide: true, querystring: z.object({ code: z.string().max(64).optional() }) },
    },
    async (request, reply) => {
      const token = request.cookies[SESSION_COOKIE];
      const view = await consentView(services, {
        presented: token ? { token, address: request.ip } : undefined,
        typedCode: request.query.code,
      });
      return reply.headers(CONSENT_PAGE_HEADERS).send(consentPage(view));
    },
  );
}

async function consentView(
  services: Services,
  { presented, typedCode }: { presented: PresentedToken | undefined; typedCode: string | undefined },
): Promise<ConsentView> {
  const { config, knex, clock } = services;
  const code = userCodeSchema.safeParse(typedCode);
  // A text that has not the form of a code is shown as it is, as a code that nobody knows.
  const userCode = code.success ? code.data : typedCode?.trim() || undefined;
  const session = presented && (await findSignedInCaller(services, presented));
  const identity = session && (await findIdentity(knex, session));
  if (!identity) {
    const returnTo = `${CONSENT_PATH}${code.success ? `?code=${code.data}` : ""}`;
    const signInUrl = config.oidcIssuer && `${OIDC_START_PATH}?returnTo=${encodeURIComponent(returnTo)}`;
    return { person: undefined, userCode, waiting: undefined, signInUrl };
  }
  const waiting = code.success
    ? await findUndecidedCode(knex, { userCode: code.data, now: new Date(clock.nowMs()) })
    : undefined;
  const person = { email: identity.user.email, teamName: identity.team.name };
  return { person, userCode, waiting, signInUrl: undefined };
}
