/** Registers the routes by which anybody subscribes to a status page, confirms it and ends it. They know no caller. */
import { DomainError, linkTokenSchema, MINUTE_MS, statusPageRoutes } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo, PUBLIC_BODY_BYTES_MAX } from "../../platform/http/body.ts";
import { asDomainError, sendError } from "../../platform/http/error-handler.ts";
import { pageHeaders } from "../../platform/http/html-page.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { CONFIRM_PATH, UNSUBSCRIBE_PATH } from "./link.ts";
import {
  askedPage,
  confirmPage,
  invalidAddressPage,
  invalidRequestPage,
  noSuchPage,
  SUBSCRIBE_STATUS,
  tooManyRequestsPage,
  UNSUBSCRIBE_STATUS,
  unsubscribePage,
} from "./link-pages.ts";
import { subscribe } from "./subscribe.ts";
import { confirmByLink, findConfirmLink, findUnsubscribeLink, unsubscribeByLink } from "./use-link.ts";

/** Requests of a remote address to subscribe, in ten minutes. */
export const SUBSCRIBE_REQUESTS_MAX = 10;
/** Links that don't work, of a remote address in a minute: who guesses at them is slowed down. */
export const FAILED_LINKS_MAX = 60;

/** Registers the routes. Pages of links change nothing, since mail scanners and previews open links, too. */
export function registerSubscriptionRoutes(app: ApiApp, services: Services): void {
  const assertFewRequests = limitOf(app, { max: SUBSCRIBE_REQUESTS_MAX, timeWindow: 10 * MINUTE_MS });
  // Links that work are not counted: mail providers open and post to those of many readers from a few addresses.
  const assertFewFailures = limitOf(app, { max: FAILED_LINKS_MAX, timeWindow: MINUTE_MS });
  const page = {
    config: { access: "public" },
    schema: { hide: true, querystring: linkTokenSchema },
  } as const;

  void app.register(async (plain) => {
    const scope = plain as ApiApp;
    answerProblemsByPages(scope);
    acceptFormToo(scope);
    // RFC 8058 has mail programs post either form; its one field says what the address says already.
    scope.addContentTypeParser(
      "multipart/form-data",
      { parseAs: "buffer", bodyLimit: PUBLIC_BODY_BYTES_MAX },
      (_request, _body, done) => done(null, undefined),
    );
    scope.get(CONFIRM_PATH, page, async (request, reply) => {
      const { token } = request.query;
      const link = await findConfirmLink(services, token);
      if (link.state === "gone") await assertFewFailures(request);
      return html(reply, link.state === "gone" ? 410 : 200, confirmPage(token, link));
    });
    scope.get(UNSUBSCRIBE_PATH, page, async (request, reply) => {
      const { token } = request.query;
      const link = await findUnsubscribeLink(services, token);
      if (link.state !== "usable") await assertFewFailures(request);
      return html(reply, UNSUBSCRIBE_STATUS[link.state], unsubscribePage(token, link));
    });
    serve(scope, statusPageRoutes.subscribe, {
      bodyLimit: PUBLIC_BODY_BYTES_MAX,
      handler: async (request, reply) => {
        await assertFewRequests(request);
        const asked = await subscribe(services, { slug: request.params.slug, email: request.body.email });
        return html(reply, SUBSCRIBE_STATUS[asked.outcome], askedPage(asked));
      },
    });
    serve(scope, statusPageRoutes.confirmSubscription, async (request, reply) => {
      const { token } = request.query;
      const link = await confirmByLink(services, token);
      if (link.state === "gone") await assertFewFailures(request);
      return html(reply, link.state === "gone" ? 410 : 200, confirmPage(token, link));
    });
    serve(scope, statusPageRoutes.unsubscribe, async (request, reply) => {
      const { token } = request.query;
      const { state, wasThere } = await unsubscribeByLink(services, token);
      if (!wasThere) await assertFewFailures(request);
      return html(reply, UNSUBSCRIBE_STATUS[state], unsubscribePage(token, { state }));
    });
  });
}

/** Answers what goes wrong with a person's request by a page; anything else is answered as everywhere. */
function answerProblemsByPages(scope: ApiApp): void {
  scope.setErrorHandler((error: Error, request, reply) => {
    const problem = asDomainError(error, request);
    const isOfForm = request.routeOptions.url === statusPageRoutes.subscribe.path;
    if (problem?.code === "rate_limited") {
      const retryAfterSeconds = problem.retryAfterSeconds ?? 1;
      void reply.header("retry-after", retryAfterSeconds);
      return html(reply, 429, tooManyRequestsPage(retryAfterSeconds));
    }
    if (problem?.code === "not_found" && isOfForm) return html(reply, 404, noSuchPage());
    if (problem?.code === "invalid")
      return html(reply, 400, isOfForm ? invalidAddressPage() : invalidRequestPage());
    return sendError(error, request, reply);
  });
}

function html(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).headers(pageHeaders()).send(text);
}

function limitOf(app: ApiApp, options: { max: number; timeWindow: number }) {
  const countRequest = app.createRateLimit(options);
  return async (request: FastifyRequest): Promise<void> => {
    const use = await countRequest(request);
    if (!use.isAllowed && use.isExceeded)
      throw new DomainError("rate_limited", `Too many requests; try again in ${use.ttlInSeconds} s`, {
        retryAfterSeconds: use.ttlInSeconds,
      });
  };
}
