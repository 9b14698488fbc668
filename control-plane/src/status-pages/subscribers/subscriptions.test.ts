import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { STATUS_PAGES_PATH as PATH } from "../../../test-support/status-page-test.ts";
import { linkIn, useSubscriptions } from "../../../test-support/subscription-test.ts";
import { createSecretBox, type SecretBox } from "../../platform/db/secret-box.ts";
import { handOutAnnouncements } from "../deliveries/worker.ts";
import { UNCONFIRMED_LIFETIME_MS } from "./subscribe.ts";

let test: TestApp;
const { slug, ask, aSender, subscribe, tend, aPage, aNotice, update, subscribed, subscribers } =
  useSubscriptions(
    (app) => {
      test = app;
    },
    { SVC_CAP_STATUS_SUBSCRIBERS_PER_PAGE: "3" },
  );

const deliveries = async () => Number((await test.services.knex("statusDeliveries").count())[0]?.count);

describe("a subscription by mail", () => {
  it("begins with the form, is confirmed by a button, tells of each update, and ends by a button", async () => {
    const page = await aPage({ title: "Shop <b>" });
    const { mails, send } = await aSender();
    const html = (await ask("GET", `/status/${slug()}`)).text;
    expect(html).toContain(`<form method="post" action="/status/${slug()}/subscribe">`);
    expect(html).not.toContain("<script");
    const asked = await subscribe(" Ada@Example.com ");
    expect([asked.status, asked.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(asked.headers["set-cookie"]).toBeUndefined();

    // Nothing but the first mail is sent before it is confirmed.
    const early = await aNotice(page);
    await send();
    expect(mails.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [["ada@example.com"], "Confirm your subscription to Shop <b>"],
    ]);
    expect(await subscribers(page)).toMatchObject([{ address: "ada@example.com", confirmedAt: null }]);
    const confirm = linkIn(mails[0]?.mail.text);
    for (let i = 0; i < 2; i++) {
      const opened = await ask("GET", confirm);
      expect([opened.status, opened.text.includes("Shop &#60;b&#62;")]).toEqual([200, true]);
      expect(opened.text).toContain('<button type="submit">Subscribe</button>');
      expect(opened.text).not.toContain("ada@");
    }
    expect((await subscribers(page))[0].confirmedAt).toBeNull();
    expect((await ask("POST", confirm)).text).toContain("<h1>You subscribe</h1>");
    expect((await ask("POST", confirm)).status).toBe(200);
    expect((await subscribers(page))[0].confirmedAt).not.toBeNull();
    expect((await ask("GET", confirm)).text).not.toContain("<button");

    await update(page, early, { status: "identified", text: "The disk is full.\nWe empty it." });
    await update(page, early, { status: "resolved", text: "It is emptied." });
    await send();
    await send();
    expect(mails.map(({ mail }) => mail.subject).slice(1)).toEqual([
      "[Shop <b>] Identified: Slow",
      "[Shop <b>] Resolved: Slow",
    ]);
    const { mail, raw } = mails[1] as (typeof mails)[number];
    expect(mail.text).toContain("The disk is full.\nWe empty it.");
    expect(mail.text).toContain(`http://127.0.0.1:8080/status/${slug()}`);
    expect(mail.html).toContain("<p style");
    for (const fact of [test.team.teamId, page.id, early.id, "Olive", "usr_"])
      expect(raw).not.toContain(fact);

    const end = linkIn(mail.text);
    expect((await ask("GET", end)).text).toContain('<button type="submit">Unsubscribe</button>');
    expect(await subscribers(page)).toHaveLength(1);
    for (let i = 0; i < 2; i++)
      expect((await ask("POST", end)).text).toContain("<h1>This subscription has ended</h1>");
    expect(await subscribers(page)).toEqual([]);
    await update(page, early, { status: "investigating", text: "Again." });
    await send();
    expect(mails).toHaveLength(3);
    expect((await ask("POST", confirm)).status).toBe(410);
    expect(await subscribers(page)).toEqual([]);
  });

  it("ends by one click of a mail program, whichever form that posts", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    for (const [type, form] of [
      ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
      [
        "multipart/form-data; boundary=b",
        '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      ],
    ] as const) {
      await subscribed(page, ["a@example.com"]);
      await aNotice(page);
      await send();
      const raw = mails.at(-1)?.raw ?? "";
      expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
      const [, url = ""] = /^List-Unsubscribe: <http:\/\/127\.0\.0\.1:8080([^>\r\n]+)>\r\n/m.exec(raw) ?? [];
      expect((await ask("POST", url, { type, form })).status).toBe(200);
      expect(await subscribers(page)).toEqual([]);
    }
  });

  it("that is not confirmed within a day is forgotten, and its link does nothing", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribe("a@example.com");
    await send();
    test.clock.advance(UNCONFIRMED_LIFETIME_MS - 1);
    await tend();
    expect((await ask("GET", linkIn(mails[0]?.mail.text))).status).toBe(200);
    test.clock.advance(1);
    expect((await ask("POST", linkIn(mails[0]?.mail.text))).status).toBe(410);
    expect(await subscribers(page)).toEqual([]);
    await tend();
    expect(await test.services.knex("statusSubscribers")).toEqual([]);
    expect(await test.services.knex("statusSubscriptionRequests")).toEqual([]);
  });

  it("ends by the link of any mail after the service's key was replaced, and the former one given up", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribed(page, ["a@example.com", "b@example.com"]);
    await aNotice(page);
    await send();
    const services = test.services as { secrets: SecretBox };
    const { secrets } = services;
    services.secrets = createSecretBox("another-key-of-at-least-32-characters");
    try {
      const [clicked, opened] = mails.map(({ mail }) => linkIn(mail.text));
      expect((await ask("GET", opened ?? "")).text).toContain("<button");
      expect((await ask("POST", clicked ?? "")).status).toBe(200);
      expect(await subscribers(page)).toHaveLength(1);
    } finally {
      services.secrets = secrets;
    }
  });

  it.each([{ isPublished: false }, { subscriptions: { email: false } }])(
    "is not confirmed, and its page not named, while the page has %j",
    async (change) => {
      const page = await aPage({ title: "Hidden shop" });
      const { mails, send } = await aSender();
      await subscribe("a@example.com");
      await send();
      const confirm = linkIn(mails[0]?.mail.text);
      await test.call("PUT", `${PATH}/${page.id}`, change);
      for (const method of ["GET", "POST"] as const) {
        const refused = await ask(method, confirm);
        expect([refused.status, refused.text.includes("Hidden")]).toEqual([410, false]);
      }
      expect(await subscribers(page)).toMatchObject([{ confirmedAt: null }]);
      await test.call("PUT", `${PATH}/${page.id}`, { isPublished: true, subscriptions: { email: true } });
      expect((await ask("POST", confirm)).text).toContain("You subscribe");
    },
  );

  it("ends also while its page is hidden, which the link does not name", async () => {
    const page = await aPage({ title: "Hidden shop" });
    const { mails, send } = await aSender();
    await subscribed(page, ["a@example.com"]);
    await aNotice(page);
    await send();
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: false });
    const end = linkIn(mails[0]?.mail.text);
    const opened = await ask("GET", end);
    expect([opened.text.includes("<button"), opened.text.includes("Hidden")]).toEqual([true, false]);
    expect((await ask("POST", end)).status).toBe(200);
    expect(await subscribers(page)).toEqual([]);
  });

  it("is not confirmed by a link that was altered, or is for the other purpose", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribe("a@example.com");
    await send();
    const token = new URL(linkIn(mails[0]?.mail.text), "http://x").searchParams.get("token") ?? "";
    const [id, until, signature] = token.split(".");
    const later = `${id}.${Number(until) + 1}.${signature}`;
    for (const altered of [
      later,
      `${id}.${until}.${"A".repeat(43)}`,
      "x",
      `${id}.${signature}`,
      `..${signature}`,
    ]) {
      expect((await ask("POST", `/status-subscriptions/confirm?token=${altered}`)).status).toBe(410);
      const end = `/status-subscriptions/unsubscribe?token=${altered}`;
      for (const method of ["GET", "POST"] as const) {
        const refused = await ask(method, end);
        expect([refused.status, refused.text.includes("This link does not work")]).toEqual([400, true]);
      }
    }
    expect((await ask("POST", `/status-subscriptions/unsubscribe?token=${token}`)).status).toBe(400);
    expect(await subscribers(page)).toMatchObject([{ confirmedAt: null }]);
  });

  it("is answered alike whether or not the address subscribes, and a mail goes to whoever does not", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribed(page, ["known@example.com"]);
    const known = await subscribe("KNOWN@example.com", { remote: 1 });
    const unknown = await subscribe("new@example.com", { remote: 2 });
    const again = await subscribe("new@example.com", { remote: 3 });
    const { date: _, ...headers } = known.headers;
    for (const { status, text, headers: others } of [unknown, again]) {
      expect([status, text]).toEqual([known.status, known.text]);
      const varying = ["date", "traceparent", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"];
      for (const name of Object.keys(headers).filter((name) => !varying.includes(name)))
        expect([name, others[name]]).toEqual([name, headers[name]]);
    }
    await send();
    expect(mails.map(({ to }) => to)).toEqual([["new@example.com"]]);
  });

  it.each(["", "x", "a@b", "a@example.com\r\nBcc: b@example.com", `${"a".repeat(250)}@example.com`])(
    "is refused for %j",
    async (address) => {
      const page = await aPage();
      expect((await subscribe(address)).status).toBe(400);
      expect(await subscribers(page)).toEqual([]);
    },
  );
});

describe("the team", () => {
  it("turns subscriptions on only where the service has a mail server", async () => {
    const config = test.services.config as { smtpUrl: string | undefined };
    const { smtpUrl } = config;
    config.smtpUrl = undefined;
    try {
      const page = { slug: slug(), title: "Shop", subscriptions: { email: true } };
      const refused = await test.call("POST", PATH, page);
      expect(refused.status).toBe(400);
      expect(refused.body.details.fieldErrors.subscriptions[0]).toContain("SVC_SMTP_URL");
      const made = await test.call("POST", PATH, { slug: slug(), title: "Shop" });
      expect(made.body.statusPage).toMatchObject({ subscriptions: { email: false }, subscriberCount: 0 });
      const path = `${PATH}/${made.body.statusPage.id}`;
      expect((await test.call("PUT", path, { subscriptions: { email: true } })).status).toBe(400);
      expect((await test.call("PUT", path, { subscriptions: { email: false } })).status).toBe(200);
    } finally {
      config.smtpUrl = smtpUrl;
    }
  });

  it("lists subscribers in parts and removes them with what is on its way, and no other team does", async () => {
    const page = await aPage();
    await subscribed(page, ["a@example.com", "b@example.com", "c@example.com"]);
    await aNotice(page);
    const { services } = await aSender();
    await handOutAnnouncements(services, new AbortController().signal);
    expect(await deliveries()).toBe(3);
    const path = `${PATH}/${page.id}/subscribers`;
    const first = (await test.call("GET", `${path}?limit=2`)).body;
    const second = (await test.call("GET", `${path}?limit=2&cursor=${first.nextCursor}`)).body;
    const all = [...first.subscribers, ...second.subscribers];
    expect(all.map(({ address }) => address)).toEqual(["c@example.com", "b@example.com", "a@example.com"]);
    const own = test.team;
    test.team = await test.createTeam();
    expect((await test.call("GET", path)).status).toBe(404);
    expect((await test.call("DELETE", `${path}/${all[0].id}`)).status).toBe(404);
    test.team = own;
    expect((await test.call("DELETE", `${path}/${all[0].id}`)).status).toBe(200);
    expect((await test.call("DELETE", `${path}/${all[0].id}`)).status).toBe(404);
    expect([await deliveries(), (await subscribers(page)).length]).toEqual([2, 2]);
    const log = JSON.stringify(await test.services.knex("changes").where({ resourceId: page.id }));
    expect([log.includes(all[0].id), log.includes("@example.com")]).toEqual([true, false]);
    await test.call("DELETE", `${PATH}/${page.id}`);
    expect(await deliveries()).toBe(0);
  });
});
