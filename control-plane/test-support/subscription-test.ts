/** Status pages with subscribers, and the steps that tests of subscriptions are written in. */
import { MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createTeamEgress } from "../src/platform/team-egress.ts";
import { StatusSender } from "../src/status-pages/deliveries/deliver.ts";
import { tendSubscriptions } from "../src/status-pages/deliveries/jobs.ts";
import { handOutAnnouncements } from "../src/status-pages/deliveries/worker.ts";
import { registerStatusPageRoutes } from "../src/status-pages/routes.ts";
import { newLinkKey } from "../src/status-pages/subscribers/link.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { aMailServer } from "./receivers.ts";
import { STATUS_PAGES_PATH } from "./status-page-test.ts";

const NEVER = new AbortController().signal;

/**
 * Gives a file's tests one app, and each test a team, a remote address and a slug of its own. Call it at the file's top level.
 * @param accept called with the app before the first test
 */
export function useSubscriptions(accept: (app: TestApp) => void, settings: Record<string, string> = {}) {
  let test: TestApp;
  let nth = 0;
  beforeAll(async () => {
    test = await createTestApp({
      settings: {
        SVC_SMTP_URL: "smtp://127.0.0.1:9",
        SVC_SMTP_FROM: "status@example.com",
        SVC_EGRESS_PRIVATE: "allow",
        ...settings,
      },
      register: registerStatusPageRoutes,
    });
    accept(test);
  });
  afterAll(() => test?.close());
  beforeEach(async () => {
    await test.services.knex("statusPages").delete();
    test.team = await test.createTeam();
    nth++;
  });
  const slug = () => `page-${nth}`;
  /** Asks without any credential. @param remote last number of the remote address */
  const ask = async (
    method: "GET" | "POST",
    url: string,
    { form, type = "application/x-www-form-urlencoded", remote = 1 }: AskOptions = {},
  ) => {
    const { statusCode, body, headers } = await test.app.inject({
      method,
      url,
      remoteAddress: `10.${nth}.${Math.floor(remote / 200)}.${(remote % 200) + 1}`,
      ...(method === "POST" && { headers: { "content-type": type }, payload: form ?? "" }),
    });
    return { status: statusCode, text: body, headers };
  };
  /** A mail server, and the rounds of a process that sends by it. */
  const aSender = async (
    refuse?: Parameters<typeof aMailServer>[0],
    config: object = {},
    { mailTimeoutMs = 20_000, ...troubles }: MailTroubles = {},
  ) => {
    const server = await aMailServer(refuse, troubles);
    const services = {
      ...test.services,
      config: { ...test.services.config, ...config, smtpUrl: server.url },
    };
    const timeoutsMs = { email: mailTimeoutMs, webhook: 10_000 };
    const sender = new StatusSender(services, createTeamEgress({ allowPrivate: true }), timeoutsMs);
    return {
      mails: server.mails,
      services,
      sender,
      /** Hands out and sends all that is due. */
      send: async () => {
        while (await handOutAnnouncements(services, NEVER));
        while (await sender.deliverDue("email", NEVER));
        while (await sender.deliverDue("webhook", NEVER));
      },
    };
  };
  const subscribe = (email: string, options: AskOptions & { to?: string } = {}) =>
    ask("POST", `/status/${options.to ?? slug()}/subscribe`, {
      form: new URLSearchParams({ email }).toString(),
      ...options,
    });
  return {
    slug,
    ask,
    aSender,
    subscribe,
    tend: () => tendSubscriptions(test.services),
    aPage: async (overrides: object = {}) => {
      const page = { slug: slug(), title: "Shop", isPublished: true, subscriptions: { email: true } };
      const { status, body } = await test.call("POST", STATUS_PAGES_PATH, { ...page, ...overrides });
      expect(status, JSON.stringify(body)).toBe(201);
      return body.statusPage;
    },
    aNotice: async (page: { id: string }, overrides: object = {}) => {
      const notice = { kind: "incident", title: "Slow", text: "We look into it.", ...overrides };
      const { status, body } = await test.call("POST", `${STATUS_PAGES_PATH}/${page.id}/notices`, notice);
      expect(status, JSON.stringify(body)).toBe(201);
      // Whoever is confirmed later is notified of later updates alone.
      test.clock.advance(1);
      return body.notice;
    },
    update: async (page: { id: string }, notice: { id: string }, body: object) => {
      test.clock.advance(MINUTE_MS);
      const answer = await test.call(
        "POST",
        `${STATUS_PAGES_PATH}/${page.id}/notices/${notice.id}/updates`,
        body,
      );
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    },
    /** Subscribes addresses that are confirmed, without their mails. */
    subscribed: async (page: { id: string }, addresses: readonly string[]) => {
      const { knex, clock } = test.services;
      const row = await knex("statusPages").where({ id: page.id }).first("key", "teamId");
      const at = new Date(clock.nowMs());
      await knex.batchInsert(
        "status_subscribers",
        addresses.map((address, index) => ({
          id: `ssub_${String(nth).padStart(8, "0")}${row.key}x${String(index).padStart(8, "0")}`.padEnd(
            31,
            "0",
          ),
          pageKey: row.key,
          teamId: row.teamId,
          type: "email",
          address,
          linkKey: newLinkKey(),
          createdAt: at,
          confirmedAt: at,
        })),
        500,
      );
      test.clock.advance(1);
    },
    subscribers: async (page: { id: string }) =>
      (await test.call("GET", `${STATUS_PAGES_PATH}/${page.id}/subscribers`)).body.subscribers,
  };
}

type MailTroubles = NonNullable<Parameters<typeof aMailServer>[1]> & { mailTimeoutMs?: number };

interface AskOptions {
  form?: string;
  type?: string;
  remote?: number;
}

/** Returns the path and query of the first link to a page of subscriptions in a text. */
export function linkIn(text: string | undefined): string {
  const [link] = /\/status-subscriptions\/\S+/.exec(text ?? "") ?? [];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  return link;
}
