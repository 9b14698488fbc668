/** Registers the routes of certificates. */
import { certificateRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listCertificates, listCertificatesOfCheck } from "./list-certificates.ts";

/** Registers the lists of the team's certificates and of those of a check. */
export function registerCertificateRoutes(app: ApiApp, services: Services): void {
  serve(app, certificateRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listCertificates(context));
  });

  serve(app, certificateRoutes.listOfCheck, async (request) => ({
    certificates: await listCertificatesOfCheck(contextOf(services, request), {
      checkId: request.params.id,
    }),
  }));
}
