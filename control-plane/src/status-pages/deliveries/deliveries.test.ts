import { createHmac } from "node:crypto";
import { HOUR_MS, MINUTE_MS, STATUS_WEBHOOKS_MAX, statusWebhookBodySchema } from "@svc/contract";
import { describe, expect, it, vi } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { STATUS_PAGES_PATH as PATH } from "../../../test-support/status-page-test.ts";
import { useSubscriptions } from "../../../test-support/subscription-test.ts";
import { GIVE_UP_MS } from "./deliver.ts";
import { handOutAnnouncements } from "./worker.ts";

let test: TestApp;
const { slug, aSender, subscribe, tend, aPage, aNotice, update, subscribed } = useSubscriptions((app) => {
  test = app;
});

const NEVER = new AbortController().signal;
const addresses = (count: number, domain = "example.com") =>
  Array.from({ length: count }, (_, i) => `a${i}@${domain}`);
const left = async () => Number((await test.services.knex("statusDeliveries").count())[0]?.count);

describe("an update", () => {
  it("goes to each subscriber once, also when several processes hand out and send at once", async () => {
    const page = await aPage();
    await subscribed(page, addresses(1_203));
    await aNotice(page);
    const senders = [await aSender(), await aSender()];
    await Promise.all(senders.map(({ send }) => send()));
    await Promise.all(senders.map(({ send }) => send()));
    const to = senders.flatMap(({ mails }) => mails.flatMap((one) => one.to));
    expect([to.length, new Set(to).size, await left()]).toEqual([1_203, 1_203, 0]);
  });

  it("goes to nobody while the page is hidden, and to nobody by mail while that is off", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribed(page, addresses(2));
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: false });
    await aNotice(page);
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: true });
    const notice = await aNotice(page);
    await test.call("PUT", `${PATH}/${page.id}`, { subscriptions: { email: false } });
    await send();
    expect([mails.length, await left()]).toEqual([0, 0]);
    await test.call("PUT", `${PATH}/${page.id}`, { subscriptions: { email: true } });
    await update(page, notice, { status: "monitoring", text: "Better." });
    await send();
    expect(mails).toHaveLength(2);
  });

  it("is withdrawn with its notice", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribed(page, addresses(2));
    const notice = await aNotice(page);
    await test.call("DELETE", `${PATH}/${page.id}/notices/${notice.id}`);
    await send();
    expect(mails).toEqual([]);
  });

  it("is tried again with growing delays, in order, and given up in the end", async () => {
    const page = await aPage();
    let isRefusing = true;
    const { mails, send } = await aSender(() => (isRefusing ? 451 : undefined));
    await subscribed(page, addresses(1));
    const notice = await aNotice(page);
    await update(page, notice, { status: "identified", text: "Found." });
    await send();
    isRefusing = false;
    await send();
    expect([mails.length, await left()]).toEqual([0, 2]);
    test.clock.advance(MINUTE_MS);
    await send();
    expect(mails.map(({ mail }) => mail.subject?.split(":")[0])).toEqual([
      "[Shop] Investigating",
      "[Shop] Identified",
    ]);
    isRefusing = true;
    await update(page, notice, { status: "monitoring", text: "Better." });
    for (let ageMs = 0; ageMs <= GIVE_UP_MS + HOUR_MS; ageMs += 10 * MINUTE_MS) {
      await send();
      test.clock.advance(10 * MINUTE_MS);
    }
    expect([mails.length, await left()]).toEqual([2, 0]);
  });

  it("is not tried again at an address that the mail server refuses for good", async () => {
    const page = await aPage();
    const { mails, send } = await aSender((address) => (address.startsWith("a0") ? 550 : undefined));
    await subscribed(page, addresses(2));
    await aNotice(page);
    await send();
    expect([mails.map(({ to }) => to), await left()]).toEqual([[["a1@example.com"]], 0]);
  });

  it("does not wait behind another team's many", async () => {
    const page = await aPage();
    await subscribed(page, addresses(400, "many.example"));
    await aNotice(page);
    test.team = await test.createTeam();
    const other = await aPage({ slug: `${slug()}-b`, title: "Few" });
    await subscribed(other, addresses(2, "few.example"));
    await aNotice(other);
    const { mails, services, sender } = await aSender();
    while (await handOutAnnouncements(services, NEVER));
    await sender.deliverDue("email", NEVER);
    const few = mails.filter(({ to }) => to[0]?.endsWith("few.example"));
    expect([few.length, mails.length]).toEqual([2, 10]);
  });

  it("waits once the team has sent the mails of its hour", async () => {
    const page = await aPage();
    await subscribed(page, addresses(20));
    await aNotice(page);
    const caps = { ...test.services.config.caps, statusMailsPerHour: 12 };
    const { mails, send } = await aSender(undefined, { caps });
    await send();
    expect([mails.length, await left()]).toEqual([12, 8]);
  });

  it("that waits for the team's next hour holds up no confirmation, keeps no process busy, and is given up in the log", async () => {
    const page = await aPage();
    await subscribed(page, addresses(20));
    await aNotice(page);
    const caps = { ...test.services.config.caps, statusMailsPerHour: 12 };
    const { mails, sender, send } = await aSender(undefined, { caps });
    await send();
    await subscribe("new@example.com");
    await send();
    expect(mails.at(-1)?.mail.subject).toContain("Confirm");
    test.clock.advance(2 * MINUTE_MS);
    const waiting = () =>
      test.services.knex("statusDeliveries").orderBy("key").select("key", "attempts", "dueAt");
    const before = await waiting();
    expect([await sender.deliverDue("email", NEVER), mails.length]).toEqual([false, 13]);
    // They are not even claimed.
    expect([before.length, await waiting()]).toEqual([8, before]);
    test.clock.advance(GIVE_UP_MS + HOUR_MS);
    const warn = vi.spyOn(test.services.log, "warn");
    await tend();
    expect(warn.mock.calls).toContainEqual([
      { teamId: test.team.teamId, deliveries: 8 },
      expect.stringContaining("given up"),
    ]);
    warn.mockRestore();
    expect(await left()).toBe(0);
  });

  it("is sent after all once the operator's mail server lets the service in again", async () => {
    const page = await aPage();
    await subscribed(page, addresses(3));
    await aNotice(page);
    const refusing = await aSender(undefined, {}, { refusedStage: "sender" });
    await refusing.send();
    expect(await left()).toBe(3);
    test.clock.advance(MINUTE_MS);
    const { mails, send } = await aSender();
    await send();
    expect([mails.length, await left()]).toEqual([3, 0]);
  });

  it("is tried few times at a mail server that takes it and does not say so", async () => {
    const page = await aPage();
    await subscribed(page, addresses(1));
    await aNotice(page);
    const { mails, send } = await aSender(undefined, {}, { isSilent: () => true, mailTimeoutMs: 500 });
    for (let i = 0; i < 6; i++) {
      await send();
      test.clock.advance(10 * MINUTE_MS);
    }
    expect([mails.length, await left()]).toEqual([3, 0]);
  });

  it("is not looked at again and again while earlier ones of its subscriber wait", async () => {
    const page = await aPage();
    await subscribed(page, addresses(100));
    const notice = await aNotice(page);
    let isRefusing = true;
    const { mails, send, sender } = await aSender(() => (isRefusing ? 451 : undefined));
    await update(page, notice, { status: "identified", text: "Found." });
    await send();
    const due = async () =>
      Number(
        (
          await test.services
            .knex("statusDeliveries")
            .where("dueAt", "<=", new Date(test.clock.nowMs()))
            .count()
        )[0]?.count,
      );
    expect([await left(), await due(), await sender.deliverDue("email", NEVER)]).toEqual([200, 0, false]);
    isRefusing = false;
    test.clock.advance(MINUTE_MS);
    await send();
    expect([mails.length, await left()]).toEqual([200, 0]);
    const words = mails.map(({ to, mail }) => `${to[0]} ${mail.subject}`);
    for (const address of addresses(100))
      expect(words.filter((word) => word.startsWith(`${address} `))).toEqual([
        `${address} [Shop] Investigating: Slow`,
        `${address} [Shop] Identified: Slow`,
      ]);
  });
});

describe("maintenance", () => {
  it("is announced at its announced start and end, once each, unless an update said so", async () => {
    const page = await aPage();
    const { mails, send } = await aSender();
    await subscribed(page, addresses(1));
    const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
    const planned = { kind: "maintenance", startsAt: at(HOUR_MS), endsAt: at(2 * HOUR_MS) };
    await aNotice(page, { ...planned, title: "Silent" });
    const said = await aNotice(page, { ...planned, title: "Said" });
    await update(page, said, { status: "in_progress", text: "We begin early." });
    await update(page, said, { status: "completed", text: "Done." });
    const rounds = async (ms: number) => {
      test.clock.advance(ms);
      for (let i = 0; i < 2; i++) {
        await tend();
        await send();
      }
      return mails.splice(0).map(({ mail }) => mail.subject?.replace("[Shop] ", ""));
    };
    expect(await rounds(0)).toEqual([
      "Scheduled: Silent",
      "Scheduled: Said",
      "In progress: Said",
      "Completed: Said",
    ]);
    expect(await rounds(HOUR_MS)).toEqual(["In progress: Silent"]);
    expect(await rounds(HOUR_MS)).toEqual(["Completed: Silent"]);
    expect(await rounds(HOUR_MS)).toEqual([]);
  });
});

describe("the start or end of maintenance", () => {
  const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
  const aScheduled = async (page: { id: string }, startsMs: number, endsMs: number) =>
    aNotice(page, { kind: "maintenance", title: "Work", startsAt: at(startsMs), endsAt: at(endsMs) });
  const mailed = async ({ mails, send }: Awaited<ReturnType<typeof aSender>>) => {
    await tend();
    await send();
    return mails.splice(0).map(({ mail }) => mail.subject?.replace("[Shop] ", ""));
  };

  it.each([
    { startsMs: -30 * MINUTE_MS, endsMs: HOUR_MS },
    { startsMs: -2 * HOUR_MS, endsMs: -5 * MINUTE_MS },
  ])("is not announced when it was moved into the past: %j", async ({ startsMs, endsMs }) => {
    const page = await aPage();
    const sender = await aSender();
    await subscribed(page, addresses(1));
    const notice = await aScheduled(page, 10 * HOUR_MS, 20 * HOUR_MS);
    expect(await mailed(sender)).toEqual(["Scheduled: Work"]);
    test.clock.advance(9 * HOUR_MS);
    const path = `${PATH}/${page.id}/notices/${notice.id}`;
    const times = { startsAt: at(startsMs), endsAt: at(endsMs) };
    expect((await test.call("PUT", path, times)).status).toBe(200);
    test.clock.advance(1);
    expect(await mailed(sender)).toEqual([]);
  });

  it("is announced after it was moved to another instant to come, and its text changed later", async () => {
    const page = await aPage();
    const sender = await aSender();
    await subscribed(page, addresses(1));
    const notice = await aScheduled(page, 10 * HOUR_MS, 20 * HOUR_MS);
    expect(await mailed(sender)).toHaveLength(1);
    const path = `${PATH}/${page.id}/notices/${notice.id}`;
    await test.call("PUT", path, { startsAt: at(HOUR_MS) });
    test.clock.advance(HOUR_MS + 1);
    await test.call("PUT", path, { title: "Short work" });
    expect(await mailed(sender)).toEqual(["In progress: Short work"]);
  });

  it("is not announced when the page was published after it", async () => {
    const page = await aPage({ isPublished: false });
    const sender = await aSender();
    await subscribed(page, addresses(1));
    await aScheduled(page, HOUR_MS, 2 * HOUR_MS);
    test.clock.advance(HOUR_MS + MINUTE_MS);
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: true });
    expect(await mailed(sender)).toEqual([]);
    test.clock.advance(HOUR_MS);
    expect(await mailed(sender)).toEqual(["Completed: Work"]);
  });
});

describe("a webhook", () => {
  it("is posted the documented body, signed, and again after a failure with an equal id", async () => {
    const page = await aPage({ subscriptions: { email: false } });
    const receiver = await aReceiver((_, nth) => ({ status: nth === 0 ? 503 : 200 }));
    const path = `${PATH}/${page.id}/subscribers`;
    const { status, body } = await test.call("POST", path, { url: `${receiver.url}/hook/secret?token=s` });
    expect(status).toBe(201);
    expect(body.subscriber).toMatchObject({ type: "webhook", address: `${receiver.url}/***` });
    const listed = JSON.stringify((await test.call("GET", path)).body);
    expect([listed.includes("whsec_"), listed.includes("/hook")]).toEqual([false, false]);
    test.clock.advance(1);
    const { send } = await aSender();
    await aNotice(page, { title: "Slow" });
    await send();
    test.clock.advance(MINUTE_MS);
    await send();
    expect(receiver.received).toHaveLength(2);
    const [first, second] = receiver.received;
    expect(second?.path).toBe("/hook/secret?token=s");
    const sent = statusWebhookBodySchema.parse(second?.body);
    expect(sent).toMatchObject({
      eventType: "notice.created",
      page: { slug: slug(), title: "Shop", url: `http://127.0.0.1:8080/status/${slug()}` },
      notice: { title: "Slow", kind: "incident", endsAt: null },
      update: { status: "investigating", text: "We look into it." },
    });
    const {
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": signature,
    } = second?.headers ?? {};
    expect(first?.headers["webhook-id"]).toBe(id);
    const key = Buffer.from(body.subscriber.secret.slice("whsec_".length), "base64");
    const signed = `${id}.${at}.${JSON.stringify(second?.body)}`;
    expect(signature).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    expect(Number(at)).toBe(Math.floor(test.clock.nowMs() / 1000));
  });

  it("that hangs delays neither mails nor the end of its page", async () => {
    const page = await aPage();
    const receiver = await aReceiver(() => "hang");
    const path = `${PATH}/${page.id}/subscribers`;
    await test.call("POST", path, { url: receiver.url });
    await subscribed(page, addresses(3));
    await aNotice(page);
    const { mails, services, sender } = await aSender();
    while (await handOutAnnouncements(services, NEVER));
    const posting = sender.deliverDue("webhook", NEVER);
    await receiver.count(1);
    await sender.deliverDue("email", NEVER);
    expect(mails).toHaveLength(3);
    await test.call("DELETE", `${PATH}/${page.id}`);
    expect(await posting).toBe(true);
    expect(await left()).toBe(0);
  });

  it("is one of a bounded number, with a valid URL", async () => {
    const page = await aPage();
    const path = `${PATH}/${page.id}/subscribers`;
    for (const url of ["x", "ftp://a.example", "javascript:1", ""])
      expect((await test.call("POST", path, { url })).status).toBe(400);
    for (let i = 0; i < STATUS_WEBHOOKS_MAX; i++)
      expect((await test.call("POST", path, { url: `https://a.example/${i}` })).status).toBe(201);
    expect((await test.call("POST", path, { url: "https://a.example" })).status).toBe(403);
  });

  it("has a URL once on a page, whichever way it is written, and another page may have it, too", async () => {
    const [page, another] = [await aPage(), await aPage({ slug: `${slug()}-2` })];
    const post = (of: { id: string }, url: string) =>
      test.call("POST", `${PATH}/${of.id}/subscribers`, { url });
    const url = "https://a.example/hook?token=s";
    const first = await post(page, url);
    expect(first.status).toBe(201);
    for (const same of [url, "https://A.example:443/hook?token=s"])
      expect((await post(page, same)).status).toBe(409);
    expect((await post(page, `${url}2`)).status).toBe(201);
    expect((await post(another, url)).status).toBe(201);
    const path = `${PATH}/${page.id}/subscribers/${first.body.subscriber.id}`;
    expect((await test.call("DELETE", path)).status).toBe(200);
    expect((await post(page, url)).status).toBe(201);
  });

  it.each(["http://169.254.169.254/", "http://[fd00:ec2::254]/latest", "http://2852039166/"])(
    "that no request would ever be sent to is refused: %s",
    async (url) => {
      const page = await aPage();
      const { status, body } = await test.call("POST", `${PATH}/${page.id}/subscribers`, { url });
      expect([status, body.details.fieldErrors.url]).toEqual([
        400,
        [expect.stringMatching(/is never requested: it belongs to a cloud metadata service/)],
      ]);
    },
  );
});
