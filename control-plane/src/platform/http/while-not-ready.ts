/** Answers of a service that is not ready yet or ready no more: a page for browsers, the usual envelope for everybody else. */
import { DomainError, pageAt } from "@svc/contract";
import type { FastifyRequest } from "fastify";
import type { ApiApp } from "./api.ts";
import { escapeHtml, htmlPage, pageHeaders } from "./html-page.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** Seconds after which a client asks again; a browser does so by itself. */
const RETRY_SECONDS = 2;

/** Refuses requests until the database is migrated; only the operators' routes answer before. */
export async function refuseUntilStarted(app: ApiApp, lifecycle: Lifecycle): Promise<void> {
  app.addHook("onRequest", async (request, reply) => {
    const { state } = lifecycle;
    if (state.status !== "starting") return;
    if (isPageRequest(request))
      return reply
        .code(503)
        .headers(pageHeaders())
        .header("retry-after", RETRY_SECONDS)
        .header("refresh", RETRY_SECONDS)
        .send(startingPage(state.reason));
    if (["/api/", "/auth/"].some((prefix) => request.url.startsWith(prefix)))
      throw new DomainError("unavailable", `The service is starting: ${state.reason}`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
  });
}

/** Refuses requests that come on open connections once the server closes: another replica, or the next process, answers them. */
export function refuseWhileClosing(app: ApiApp): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async () => {
    if (isClosing)
      throw new DomainError("unavailable", "The service is stopping; try again", { retryAfterSeconds: 1 });
  });
}

/** True for a browser that opens one of the dashboard's pages or a link to sign in. */
function isPageRequest({ method, url, headers }: FastifyRequest): boolean {
  const path = url.split("?", 1)[0] as string;
  const isNavigation =
    (method === "GET" || method === "HEAD") && (headers.accept ?? "").includes("text/html");
  return isNavigation && (pageAt(path) !== undefined || path.startsWith("/auth/"));
}

function startingPage(reason: string): string {
  return htmlPage({
    title: "svc is starting",
    body: `<p>It can't show anything yet: ${escapeHtml(reason)}. This page is loaded again by itself. If it stays for minutes, the service's log
has the details.</p>`,
  });
}
