import { DAY_MS, HOUR_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { STATUS_PAGES_PATH as PATH } from "../../../test-support/status-page-test.ts";
import { linkIn, useSubscriptions } from "../../../test-support/subscription-test.ts";
import { unsubscribeTokenOf } from "./link.ts";
import { FAILED_LINKS_MAX, SUBSCRIBE_REQUESTS_MAX } from "./public-routes.ts";
import {
  ADDRESS_REQUESTS_PER_DAY,
  MAILED_REQUESTS_PER_HOUR,
  PAGE_REQUESTS_PER_HOUR,
  TEAM_REQUESTS_PER_HOUR,
} from "./subscribe.ts";

let test: TestApp;
const { slug, ask, aSender, subscribe, aPage, subscribed, subscribers } = useSubscriptions(
  (app) => {
    test = app;
  },
  { SVC_CAP_STATUS_SUBSCRIBERS_PER_PAGE: "3" },
);

const deliveries = async () => Number((await test.services.knex("statusDeliveries").count())[0]?.count);

describe("requests to subscribe", () => {
  it("are few for an address in a day, over all pages", async () => {
    test.clock.advance(DAY_MS);
    await aPage();
    await aPage({ slug: `${slug()}-b` });
    const { mails, send } = await aSender();
    const texts = new Set<string>();
    for (let i = 0; i < ADDRESS_REQUESTS_PER_DAY + 3; i++) {
      const to = i % 2 === 0 ? slug() : `${slug()}-b`;
      texts.add((await subscribe("a@example.com", { to, remote: i })).text.replaceAll(`${slug()}-b`, slug()));
      await send();
    }
    expect([mails.length, texts.size]).toEqual([ADDRESS_REQUESTS_PER_DAY, 1]);
    test.clock.advance(DAY_MS);
    await subscribe("a@example.com", { remote: 50 });
    await send();
    expect(mails).toHaveLength(ADDRESS_REQUESTS_PER_DAY + 1);
  });

  it("count after the page is deleted and made again", async () => {
    test.clock.advance(DAY_MS);
    const { mails, send } = await aSender();
    for (let i = 0; i < ADDRESS_REQUESTS_PER_DAY + 2; i++) {
      const page = await aPage();
      await subscribe("a@example.com", { remote: i });
      await send();
      await test.call("DELETE", `${PATH}/${page.id}`);
    }
    expect(mails).toHaveLength(ADDRESS_REQUESTS_PER_DAY);
  });

  it("are few of a remote address", async () => {
    await aPage();
    for (let i = 0; i < SUBSCRIBE_REQUESTS_MAX; i++)
      expect((await subscribe(`a${i}@example.com`)).status).toBe(200);
    const refused = await subscribe("b@example.com");
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect((await subscribe("b@example.com", { remote: 9 })).status).toBe(200);
  });

  it("are bounded for a page in an hour, whoever asks", async () => {
    await aPage();
    for (let i = 0; i < PAGE_REQUESTS_PER_HOUR; i++)
      expect((await subscribe(`a${i % 7}@example.com`, { remote: i })).status).toBe(200);
    expect((await subscribe("b@example.com", { remote: 150 })).status).toBe(429);
    test.clock.advance(HOUR_MS);
    expect((await subscribe("b@example.com", { remote: 151 })).status).toBe(200);
  });

  it("are bounded for a team in an hour, over its pages, also those that are gone, and for no other team", async () => {
    for (let i = 0; i < TEAM_REQUESTS_PER_HOUR; i++) {
      if (i % 40 === 0) {
        await test.services.knex("statusPages").delete();
        await aPage();
      }
      expect((await subscribe(`t${i}@example.com`, { remote: i })).status).toBe(200);
    }
    await aPage({ slug: `${slug()}-b` });
    expect((await subscribe("b@example.com", { to: `${slug()}-b`, remote: 250 })).status).toBe(429);
    test.team = await test.createTeam();
    await aPage({ slug: `${slug()}-c` });
    expect((await subscribe("b@example.com", { to: `${slug()}-c`, remote: 251 })).status).toBe(200);
  });

  it("are bounded in an hour over all teams, as far as they send mails", async () => {
    test.clock.advance(DAY_MS);
    const page = await aPage();
    const fill = async (isMailed: boolean) =>
      test.services.knex.batchInsert(
        "status_subscription_requests",
        Array.from({ length: MAILED_REQUESTS_PER_HOUR }, (_, i) => ({
          teamId: "another",
          pageKey: 0,
          addressHash: Buffer.from(`${i}`.padStart(32)),
          isMailed,
          requestedAt: new Date(test.clock.nowMs()),
        })),
        500,
      );
    await fill(false);
    expect((await subscribe("a@example.com")).status).toBe(200);
    await fill(true);
    expect((await subscribe("b@example.com")).status).toBe(429);
    expect(await subscribers(page)).toHaveLength(1);
    test.clock.advance(HOUR_MS);
    expect((await subscribe("b@example.com")).status).toBe(200);
  });

  it("count for a mailbox, whichever tag its address has, and only those that sent a mail", async () => {
    test.clock.advance(DAY_MS);
    await aPage();
    const { mails, send } = await aSender();
    for (let i = 0; i < ADDRESS_REQUESTS_PER_DAY + 4; i++) {
      await subscribe(`ada+${i}@example.com`, { remote: i });
      await send();
    }
    expect(mails).toHaveLength(ADDRESS_REQUESTS_PER_DAY);
    test.clock.advance(DAY_MS - HOUR_MS);
    await subscribe("ada@example.com", { remote: 50 });
    test.clock.advance(HOUR_MS);
    await subscribe("ada@example.com", { remote: 51 });
    await send();
    expect(mails).toHaveLength(ADDRESS_REQUESTS_PER_DAY + 1);
  });

  it("are answered by pages whatever is wrong with them", async () => {
    await aPage();
    const page = (status: number) => ({
      status,
      headers: expect.objectContaining({ "content-type": "text/html; charset=utf-8" }),
    });
    const path = `/status/${slug()}/subscribe`;
    expect(await ask("POST", path)).toMatchObject(page(400));
    expect(await ask("POST", path, { form: "mail=a%40example.com" })).toMatchObject(page(400));
    expect(await ask("POST", path, { form: `email=${"a".repeat(2_000)}` })).toMatchObject(page(400));
    expect(await subscribe("a@example.com", { to: "unknown" })).toMatchObject(page(404));
    expect(await ask("POST", "/status-subscriptions/unsubscribe")).toMatchObject(page(400));
    for (let i = 0; i < SUBSCRIBE_REQUESTS_MAX; i++) await subscribe("a@example.com", { remote: 3 });
    const refused = await subscribe("a@example.com", { remote: 3 });
    expect(refused).toMatchObject(page(429));
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("to end subscriptions are not limited while their links work, and are when those don't", async () => {
    const page = await aPage();
    const { knex } = test.services;
    await subscribed(
      page,
      Array.from({ length: FAILED_LINKS_MAX + 5 }, (_, i) => `u${i}@example.com`),
    );
    const rows = await knex("statusSubscribers").select("id", "linkKey");
    const end = (token: string) => ask("POST", `/status-subscriptions/unsubscribe?token=${token}`);
    for (const row of rows) expect((await end(unsubscribeTokenOf(row))).status).toBe(200);
    expect(await subscribers(page)).toEqual([]);
    for (let i = 0; i < FAILED_LINKS_MAX; i++) expect((await end(`x${i}`)).status).toBe(400);
    expect((await end("x")).status).toBe(429);
    await subscribed(page, ["late@example.com"]);
    const late = await knex("statusSubscribers").first("id", "linkKey");
    expect((await end(unsubscribeTokenOf(late))).status).toBe(200);
  });

  it("are refused once the page is full, also for who subscribes, and so is a link that comes too late", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribe("late@example.com");
    await send();
    await subscribed(page, ["a@example.com", "b@example.com", "c@example.com"]);
    const [full, known] = [await subscribe("d@example.com"), await subscribe("a@example.com")];
    expect([full.status, known.status, known.text]).toEqual([409, 409, full.text]);
    expect((await ask("POST", linkIn(mails[0]?.mail.text))).text).toContain("takes no further subscribers");
    expect((await test.call("GET", `${PATH}/${page.id}`)).body.statusPage.subscriberCount).toBe(3);
  });

  it("are answered as for no page while it is not published, and refused while its subscriptions are off", async () => {
    const page = await aPage({ isPublished: false });
    expect((await subscribe("a@example.com")).status).toBe(404);
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: true, subscriptions: { email: false } });
    expect((await subscribe("a@example.com")).status).toBe(409);
    expect((await ask("GET", `/status/${slug()}`)).text).not.toContain("<form");
    expect(await deliveries()).toBe(0);
  });
});
