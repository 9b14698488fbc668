/**
 * Signing the command line in: /api/cli/device-codes and the consent page. Guessing a code of eight letters out of twenty
 * within its ten minutes is hopeless at the rate that one address may ask: at 6,000 a minute, 1 in 400,000.
 */
import {
  decideDeviceCodeSchema,
  deviceCodeSchema,
  errorSchema,
  grantedDeviceCodeSchema,
  pendingDeviceCodeSchema,
  pollDeviceCodeSchema,
  requestDeviceCodeSchema,
  successSchema,
  userCodeSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { sessionOf } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import { findSessionCaller } from "../identity/credentials.ts";
import { OIDC_START_PATH } from "../identity/oidc-routes.ts";
import { SESSION_COOKIE } from "../identity/session-cookie.ts";
import { selectIdentity } from "../identity/store.ts";
import { CONSENT_PAGE_CSP, type ConsentView, consentPage } from "./consent-page.ts";
import { CONSENT_PATH, decideDeviceCode, exchangeDeviceCode, requestDeviceCode } from "./device-code.ts";
import { findUndecidedCode } from "./store.ts";

const PATH = "/api/cli/device-codes";
const publicAccess = { config: { access: "public" } } as const;

export function registerCliLoginRoutes(app: ApiApp, services: Services): void {
  app.post(
    PATH,
    {
      ...publicAccess,
      schema: {
        summary: "Start a sign-in of the command line",
        tags: ["Command line"],
        body: requestDeviceCodeSchema.prefault({}),
        response: { 200: deviceCodeSchema },
      },
    },
    async ({ body }) => requestDeviceCode(services, body.clientName),
  );

  app.post(
    `${PATH}/poll`,
    {
      ...publicAccess,
      schema: {
        summary: "Ask whether the code was confirmed; the key is handed over once",
        tags: ["Command line"],
        body: pollDeviceCodeSchema,
        response: { 200: grantedDeviceCodeSchema, 202: pendingDeviceCodeSchema, 410: errorSchema },
      },
    },
    async ({ body }, reply) => {
      const key = await exchangeDeviceCode(services, body.deviceCode);
      return key ? { key } : reply.code(202).send({ status: "pending" as const });
    },
  );

  app.post(
    `${PATH}/decide`,
    {
      config: { access: "session" },
      schema: {
        summary: "Authorize or decline a code, as the signed-in person",
        tags: ["Command line"],
        body: decideDeviceCodeSchema,
        response: { 200: successSchema, 410: errorSchema },
      },
    },
    async ({ caller, body }) => {
      await decideDeviceCode(services, sessionOf(caller), body.userCode, body.decision);
      return { success: true as const };
    },
  );

  app.get(
    CONSENT_PATH,
    {
      ...publicAccess,
      schema: { hide: true, querystring: z.object({ code: z.string().max(64).optional() }) },
    },
    async (request, reply) => {
      const view = await viewOf(services, request.cookies[SESSION_COOKIE], request.query.code);
      return reply
        .type("text/html; charset=utf-8")
        .headers({ "content-security-policy": CONSENT_PAGE_CSP, "cache-control": "no-store" })
        .send(consentPage(view));
    },
  );
}

async function viewOf(
  services: Services,
  sessionToken: string | undefined,
  typedCode: string | undefined,
): Promise<ConsentView> {
  const { config, knex, clock } = services;
  const code = userCodeSchema.safeParse(typedCode);
  // What has not the form of a code is shown as it is, as one that nobody knows.
  const userCode = code.success ? code.data : typedCode?.trim() || undefined;
  const session = sessionToken ? await findSessionCaller(services, sessionToken) : undefined;
  const identity = session?.kind === "session" ? await selectIdentity(knex, session) : undefined;
  if (!identity) {
    const returnTo = `${CONSENT_PATH}${code.success ? `?code=${code.data}` : ""}`;
    const signInUrl = config.oidcIssuer && `${OIDC_START_PATH}?returnTo=${encodeURIComponent(returnTo)}`;
    return { person: undefined, userCode, clientName: undefined, signInUrl };
  }
  const waiting = code.success
    ? await findUndecidedCode(knex, code.data, new Date(clock.nowMs()))
    : undefined;
  const person = { email: identity.user.email, teamName: identity.team.name };
  return { person, userCode, clientName: waiting?.clientName, signInUrl: undefined };
}
