/** Registers the page of a link that acknowledges, and the route that its button calls. */
import { DomainError, incidentRoutes, linkTokenSchema, MINUTE_MS } from "@svc/contract";
import type { FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo } from "../../platform/http/body.ts";
import { pageHeaders } from "../../platform/http/html-page.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { acknowledgeByLink, findAcknowledgeLink } from "./acknowledge-by-link.ts";
import { ACKNOWLEDGE_PATH } from "./acknowledge-link.ts";
import { acknowledgePage } from "./acknowledge-page.ts";

/** Requests of an address in a minute: a scanner that opens the links of many mails is slowed down. */
const REQUESTS_MAX = 60;

/** Registers both routes. The page changes nothing, since mail scanners and previews open links, too. */
export function registerAcknowledgeLinks(app: ApiApp, services: Services): void {
  const countRequest = app.createRateLimit({ max: REQUESTS_MAX, timeWindow: MINUTE_MS });
  const assertFew = async (request: FastifyRequest): Promise<void> => {
    const use = await countRequest(request);
    if (!use.isAllowed && use.isExceeded)
      throw new DomainError("rate_limited", `Too many links; try again in ${use.ttlInSeconds} s`, {
        retryAfterSeconds: use.ttlInSeconds,
      });
  };

  app.get(
    ACKNOWLEDGE_PATH,
    { config: { access: "public" }, schema: { hide: true, querystring: linkTokenSchema } },
    async (request, reply) => {
      await assertFew(request);
      const { token } = request.query;
      const link = await findAcknowledgeLink(services, token);
      void reply.code(link === undefined || link.state === "gone" ? 410 : 200).headers(pageHeaders());
      return acknowledgePage(token, link);
    },
  );

  void app.register(async (scope) => {
    acceptFormToo(scope);
    serve(scope as ApiApp, incidentRoutes.acknowledgeByLink, async (request, reply) => {
      await assertFew(request);
      const { token } = request.body;
      await acknowledgeByLink(services, token);
      return reply.redirect(`${ACKNOWLEDGE_PATH}?${new URLSearchParams({ token })}`, 303);
    });
  });
}
