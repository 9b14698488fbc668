/** Client methods of status pages and their notices. */
import type { AddNoticeUpdate, StatusNotice, UpdateStatusNotice } from "../../resources/status-notice.ts";
import type { StatusPage, UpdateStatusPage } from "../../resources/status-page.ts";
import type { StatusPageView } from "../../resources/status-page-view.ts";
import type {
  CreatedStatusWebhook,
  CreateStatusWebhook,
  StatusSubscriber,
} from "../../resources/status-subscriber.ts";
import type { statusPageRoutes } from "../status-pages.ts";
import type { NewStatusNotice, NewStatusPage } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof statusPageRoutes;

const PAGES = "/api/status-pages";
const NOTICES = "/api/status-pages/:id/notices";
const SUBSCRIBERS = "/api/status-pages/:id/subscribers";

/** Returns the client methods of status pages. */
export const statusPageMethods = (call: CallRoute) => ({
  /** Lists all status pages, newest first. */
  listStatusPages: (): Promise<StatusPage[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", PAGES, { query: page }),
      (answer) => answer.statusPages,
    ),
  async createStatusPage(page: NewStatusPage): Promise<StatusPage> {
    return (await call<Routes["create"]>("POST", PAGES, { body: page })).statusPage;
  },
  async updateStatusPage(id: string, change: UpdateStatusPage): Promise<StatusPage> {
    const answer = call<Routes["update"]>("PUT", "/api/status-pages/:id", { params: { id }, body: change });
    return (await answer).statusPage;
  },
  deleteStatusPage: (id: string) =>
    call<Routes["delete"]>("DELETE", "/api/status-pages/:id", { params: { id } }),
  /** Reads what a page tells the public, or would tell. */
  async viewStatusPage(id: string): Promise<StatusPageView> {
    return (await call<Routes["preview"]>("GET", "/api/status-pages/:id/view", { params: { id } })).view;
  },
  /** Lists all notices of a status page, newest first. */
  listStatusNotices: (id: string): Promise<StatusNotice[]> =>
    readAll(
      (page) => call<Routes["listNotices"]>("GET", NOTICES, { params: { id }, query: page }),
      (answer) => answer.notices,
    ),
  async createStatusNotice(id: string, notice: NewStatusNotice): Promise<StatusNotice> {
    return (await call<Routes["createNotice"]>("POST", NOTICES, { params: { id }, body: notice })).notice;
  },
  async updateStatusNotice(
    { id, noticeId }: { id: string; noticeId: string },
    change: UpdateStatusNotice,
  ): Promise<StatusNotice> {
    const answer = call<Routes["updateNotice"]>("PUT", "/api/status-pages/:id/notices/:noticeId", {
      params: { id, noticeId },
      body: change,
    });
    return (await answer).notice;
  },
  async addNoticeUpdate(
    { id, noticeId }: { id: string; noticeId: string },
    update: AddNoticeUpdate,
  ): Promise<StatusNotice> {
    const answer = call<Routes["addUpdate"]>("POST", "/api/status-pages/:id/notices/:noticeId/updates", {
      params: { id, noticeId },
      body: update,
    });
    return (await answer).notice;
  },
  deleteStatusNotice: ({ id, noticeId }: { id: string; noticeId: string }) =>
    call<Routes["deleteNotice"]>("DELETE", "/api/status-pages/:id/notices/:noticeId", {
      params: { id, noticeId },
    }),
  /** Lists all subscribers of a status page, newest first. */
  listStatusSubscribers: (id: string): Promise<StatusSubscriber[]> =>
    readAll(
      (page) => call<Routes["listSubscribers"]>("GET", SUBSCRIBERS, { params: { id }, query: page }),
      (answer) => answer.subscribers,
    ),
  /** Subscribes an endpoint; the answer alone has its secret. */
  async createStatusWebhook(id: string, webhook: CreateStatusWebhook): Promise<CreatedStatusWebhook> {
    return (await call<Routes["createSubscriber"]>("POST", SUBSCRIBERS, { params: { id }, body: webhook }))
      .subscriber;
  },
  deleteStatusSubscriber: ({ id, subscriberId }: { id: string; subscriberId: string }) =>
    call<Routes["deleteSubscriber"]>("DELETE", "/api/status-pages/:id/subscribers/:subscriberId", {
      params: { id, subscriberId },
    }),
});
