/** Registers the routes of status pages for their teams. */
import { notFound, statusPageRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { answerList, CREATION_CURSOR, parseCursor } from "../platform/http/list-answer.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { addNoticeUpdate, createNotice, deleteNotice, updateNotice } from "./notices/change-notice.ts";
import { getNotice, listNotices } from "./notices/list-notices.ts";
import { createPage } from "./pages/create-page.ts";
import { deletePage } from "./pages/delete-page.ts";
import { getPage } from "./pages/get-page.ts";
import { listPages } from "./pages/list-pages.ts";
import { findPageRow } from "./pages/store.ts";
import { updatePage } from "./pages/update-page.ts";
import { registerPublicStatusRoutes } from "./public-routes.ts";
import { createWebhook, deleteSubscriber } from "./subscribers/change-subscribers.ts";
import { listSubscribers } from "./subscribers/list-subscribers.ts";
import { registerSubscriptionRoutes } from "./subscribers/public-routes.ts";
import { StatusViews } from "./view/views.ts";

/** Registers the routes of pages, notices and subscribers, and those by which anybody reads a published page. */
export function registerStatusPageRoutes(app: ApiApp, services: Services): void {
  const views = new StatusViews(services.reading ?? services);
  registerPages(app, services, views);
  registerNotices(app, services);
  registerSubscribers(app, services);
  registerSubscriptionRoutes(app, services);
  registerPublicStatusRoutes(app, services, views);
}

/** Shape of the cursors of a page's subscribers: their keys. */
const SUBSCRIBER_CURSOR = ["number"] as const;

function registerPages(app: ApiApp, services: Services, views: StatusViews): void {
  serve(app, statusPageRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "statusPages",
      source: listPages(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });
  serve(app, statusPageRoutes.create, async (request) => ({
    statusPage: await createPage(contextOf(services, request), request.body),
  }));
  serve(app, statusPageRoutes.get, async (request) => ({
    statusPage: await getPage(contextOf(services, request), request.params),
  }));
  serve(app, statusPageRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { statusPage: await updatePage(contextOf(services, request), { id: params.id, update }) };
  });
  serve(app, statusPageRoutes.delete, async (request) => {
    await deletePage(contextOf(services, request), request.params);
    return { success: true as const };
  });
  serve(app, statusPageRoutes.preview, async (request) => {
    const { services: own, teamId } = contextOf(services, request);
    const page = await findPageRow(own.knex, teamId, request.params.id);
    if (!page) throw notFound("Status page");
    return { view: await views.ofPage(page) };
  });
}

function registerNotices(app: ApiApp, services: Services): void {
  serve(app, statusPageRoutes.listNotices, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "notices",
      source: await listNotices(contextOf(services, request), request.params),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });
  serve(app, statusPageRoutes.createNotice, async (request) => {
    const { params, body: notice } = request;
    return { notice: await createNotice(contextOf(services, request), { id: params.id, notice }) };
  });
  serve(app, statusPageRoutes.getNotice, async (request) => ({
    notice: await getNotice(contextOf(services, request), request.params),
  }));
  serve(app, statusPageRoutes.updateNotice, async (request) => ({
    notice: await updateNotice(contextOf(services, request), request.params, request.body),
  }));
  serve(app, statusPageRoutes.addUpdate, async (request) => ({
    notice: await addNoticeUpdate(contextOf(services, request), request.params, request.body),
  }));
  serve(app, statusPageRoutes.deleteNotice, async (request) => {
    await deleteNotice(contextOf(services, request), request.params);
    return { success: true as const };
  });
}

function registerSubscribers(app: ApiApp, services: Services): void {
  serve(app, statusPageRoutes.listSubscribers, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "subscribers",
      source: await listSubscribers(contextOf(services, request), request.params),
      page: { limit, after: parseCursor(cursor, SUBSCRIBER_CURSOR) },
    });
  });
  serve(app, statusPageRoutes.createSubscriber, async (request) => {
    const { params, body: webhook } = request;
    return { subscriber: await createWebhook(contextOf(services, request), { id: params.id, webhook }) };
  });
  serve(app, statusPageRoutes.deleteSubscriber, async (request) => {
    await deleteSubscriber(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
