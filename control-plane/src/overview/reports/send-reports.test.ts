/** Reports by mail: who is sent them, when, and how often, over a real mail server. */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aMailServer } from "../../../test-support/receivers.ts";
import { expireNotifications } from "../../response/notifications/queue-store.ts";
import { registerReportRoutes } from "./routes.ts";
import { sendReports } from "./send-reports.ts";

/** The clock of tests stands on 1 June 2026, 12:00. */
const MAY_MS = Date.UTC(2026, 4, 1);
const ALL_OF_MAY = 2 ** 31 - 1;
const PATH = "/api/report-subscription";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest(registerReportRoutes);
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.beginAnew();
  await test.services.knex("reportMonths").delete();
  await test.services.knex("teams").update({ createdAt: new Date(MAY_MS - DAY_MS) });
});

const anEmail = async (name = "Mails", more: object = {}): Promise<string> => {
  const channel = { type: "email", addresses: ["ada@example.org"], ...more };
  const { status, body } = await test.call("POST", CHANNELS_PATH, { name, channel });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.channel.id;
};
const subscribe = (...channelIds: string[]) => test.call("PUT", PATH, { channelIds });
/** Stores a month of the team with one check. */
async function storeMay(countedDays = ALL_OF_MAY, { teamId } = test.team): Promise<void> {
  const { knex } = test.services;
  await knex("reportMonths").insert({ teamId, month: "2026-05", countedDays, checkCount: 1 });
  await knex("reportChecks").insert({
    teamId,
    month: "2026-05",
    checkKey: 1,
    checkId: "chk_01h2xcejqtf2nbrexx3vqjhp41",
    name: "Home <b>page</b>\r\nBcc: eve@example.org",
    labels: ["team:shop"],
  });
  for (const day of [3, 4])
    await knex("reportDays").insert({
      teamId,
      dayMs: MAY_MS + day * DAY_MS,
      checkKey: 1,
      expected: 1_440,
      received: day === 3 ? 0 : 1_400,
      success: day === 3 ? 0 : 1_386,
      givenBack: 7,
      ...(day === 4 && { missingReasons: { no_runner: 33, runner_capacity: 7 } }),
      inMaintenance: 30,
    });
  await knex("reportSloDays").insert({
    teamId,
    dayMs: MAY_MS + 4 * DAY_MS,
    sloKey: 1,
    sloId: "slo_01h2xcejqtf2nbrexx3vqjhp41",
    name: "Up",
    sliType: "availability",
    targetBasisPoints: 9_950,
    total: 1_400,
    good: 1_386,
  });
}
const notifications = () =>
  test.services
    .knex("notifications")
    .where({ teamId: test.team.teamId })
    .select("kind", "subjectId", "status");

describe("a subscription", () => {
  it("names email channels of the team, keeps them, and can be ended", async () => {
    expect((await test.call("GET", PATH)).body.reportSubscription).toEqual({
      teamId: test.team.teamId,
      channelIds: [],
      updatedAt: null,
    });
    const id = await anEmail();
    const set = await subscribe(id);
    expect([set.status, set.body.reportSubscription.channelIds]).toEqual([200, [id]]);
    expect((await test.call("GET", PATH)).body).toEqual(set.body);
    expect((await subscribe(id)).status).toBe(200);
    const refused = await test.call("DELETE", `${CHANNELS_PATH}/${id}`);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining("monthly report"),
    ]);
    expect((await subscribe()).body.reportSubscription).toMatchObject({ channelIds: [], updatedAt: null });
    expect((await test.call("DELETE", `${CHANNELS_PATH}/${id}`)).status).toBe(200);
    const logged = await test.services
      .knex("changes")
      .where({ teamId: test.team.teamId, type: "report_subscription" })
      .orderBy("key")
      .pluck("action");
    expect(logged).toEqual(["created", "deleted"]);
  });

  it("is not replaced by a change that its author made of another version", async () => {
    const etag = async () => String((await test.call("GET", PATH)).headers.etag);
    const put = (channelIds: string[], ifMatch: string) =>
      test.call("PUT", PATH, { channelIds }, { ...test.team.byKey, "if-match": ifMatch });
    const [first, second] = [await anEmail("First"), await anEmail("Second")];
    const none = await etag();
    expect((await put([first], none)).status).toBe(200);
    test.clock.advance(1);
    expect((await put([second], none)).status).toBe(412);
    expect((await test.call("GET", PATH)).body.reportSubscription.channelIds).toEqual([first]);
    expect((await put([second], await etag())).status).toBe(200);
    expect((await test.call("GET", PATH)).body.reportSubscription.channelIds).toEqual([second]);
    test.clock.advance(-1);
  });

  it("refuses channels of other types, of other teams, and too many", async () => {
    const hook = await test.aChannel("http://127.0.0.1:9/");
    const wrong = await subscribe(hook);
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      400,
      expect.stringMatching(/channelIds.*channels of the type email alone, not to .* \(webhook\)/),
    ]);
    const own = await anEmail();
    test.team = await test.createTeam();
    const foreign = await subscribe(own);
    expect([foreign.status, JSON.stringify(foreign.body)]).toEqual([
      400,
      expect.stringContaining(`no such channel: ${own}`),
    ]);
    const twice = await anEmail();
    expect((await subscribe(twice, twice)).status).toBe(400);
    expect((await subscribe(...Array.from({ length: 21 }, () => twice))).status).toBe(400);
    expect((await test.call("GET", PATH)).body.reportSubscription.channelIds).toEqual([]);
  });
});

describe("the report of a month", () => {
  it("arrives by mail as text and HTML, once, however many replicas send it", async () => {
    const server = await aMailServer();
    Object.assign(test.services.config, { smtpUrl: server.url, smtpFrom: "svc@example.com" });
    await subscribe(await anEmail());
    await storeMay();
    await Promise.all(Array.from({ length: 4 }, () => sendReports(test.services)));
    await sendReports(test.services);
    test.aWorker();
    await until(async () => server.mails.length > 0 && (await test.pending()) === 0);
    expect(await notifications()).toEqual([
      { kind: "report.monthly", subjectId: "report-2026-05", status: "delivered" },
    ]);
    const [{ to, mail }] = server.mails as [(typeof server.mails)[0]];
    expect(server.mails).toHaveLength(1);
    expect(to).toEqual(["ada@example.org"]);
    expect(mail.subject).toBe("Report of May 2026: 99.00 % available");
    expect(mail.text).toContain("1,386 of 1,400 results were successes.");
    expect(mail.text).toContain("Not all of the month is known: on 1 day nothing was measured.");
    expect(mail.text).toContain("Slots missing: 1,480, 14 of them with a recorded reason");
    expect(mail.text).toContain(
      "Why they are missing: 1,440 reason not recorded, 33 no runner, 7 runners too busy\n",
    );
    expect(mail.text).toContain("SLO: Up: 200.00 % of the budget spent, target missed");
    expect(mail.text).toContain("Label: team:shop: 99.00 % available");
    const url = "http://127.0.0.1:8080/reports/2026-05";
    expect(mail.text).toContain(`Open the report: ${url}`);
    expect(mail.html).toContain(`<a href="${url}">`);
    expect(mail.html).not.toContain("<b>");
    expect(mail.bcc ?? []).toEqual([]);
  });

  it("is sent again while the mail server refuses it, and then once", async () => {
    let isAway = true;
    const server = await aMailServer(() => (isAway ? 451 : undefined));
    Object.assign(test.services.config, { smtpUrl: server.url, smtpFrom: "svc@example.com" });
    const id = await anEmail();
    await subscribe(id);
    await storeMay();
    await sendReports(test.services);
    test.aWorker({ random: () => 0 });
    await until(async () => (await test.deliveriesOf(id)).length > 0);
    isAway = false;
    await until(async () => {
      await test.hurry();
      return (await test.pending()) === 0;
    });
    expect(server.mails).toHaveLength(1);
  });

  it.each([
    ["5 hours", "5 hours", 1],
    ["a day", "24 hours", 1],
    ["almost two days", "46 hours", 1],
    ["more than two days", "49 hours", 0],
  ])("is sent once where the mail server was away for %s, by any of two replicas", async (_, away, sent) => {
    let isAway = true;
    const server = await aMailServer(() => (isAway ? 451 : undefined));
    Object.assign(test.services.config, { smtpUrl: server.url, smtpFrom: "svc@example.com" });
    const ids = [await anEmail("First"), await anEmail("Second")];
    await subscribe(...ids);
    await storeMay();
    await sendReports(test.services);
    const attempts = async () => (await Promise.all(ids.map(test.deliveriesOf))).map(({ length }) => length);
    const first = test.aWorker({ random: () => 0 });
    await until(async () => (await attempts()).every((count) => count > 0));
    await first.close();
    const before = await attempts();
    const { knex } = test.services;
    await knex("notifications").update({
      createdAt: knex.raw("clock_timestamp() - ?::interval", [away]),
      dueAt: new Date(0),
    });
    for (const owner of ["one", "two"]) test.aWorker({ owner, random: () => 0 });
    await until(async () => (await attempts()).every((count, i) => count > (before[i] as number)));
    isAway = false;
    await until(async () => {
      await test.hurry();
      return (await test.pending()) === 0;
    });
    expect(server.mails).toHaveLength(2 * sent);
    expect((await notifications()).map(({ status }) => status)).toEqual(
      ids.map(() => (sent === 1 ? "delivered" : "failed")),
    );
    await sendReports(test.services);
    expect(await notifications()).toHaveLength(2);
  });

  it("is given up without an attempt after two days, not after an hour", async () => {
    const id = await anEmail();
    await subscribe(id);
    await storeMay();
    await sendReports(test.services);
    const { knex } = test.services;
    const expiredAfter = async (age: string) => {
      await knex("notifications").update({ createdAt: knex.raw("clock_timestamp() - ?::interval", [age]) });
      return expireNotifications(knex);
    };
    expect([await expiredAfter("61 minutes"), await expiredAfter("47 hours")]).toEqual([0, 0]);
    expect(await expiredAfter("49 hours")).toBe(1);
    expect((await test.deliveriesOf(id))[0].error).toBe("not delivered within two days; given up");
  });

  it("waits for the end of quiet hours, and is sent then", async () => {
    const server = await aMailServer();
    Object.assign(test.services.config, { smtpUrl: server.url, smtpFrom: "svc@example.com" });
    await subscribe(await anEmail("Quiet", { quietHours: { from: "08:00", to: "14:00", timezone: "UTC" } }));
    await storeMay();
    await sendReports(test.services);
    test.aWorker();
    const held = () => test.services.knex("notifications").whereNotNull("heldUntil");
    await until(async () => (await held()).length === 1);
    expect(server.mails).toEqual([]);
    test.clock.advance(3 * HOUR_MS);
    await test.services
      .knex("notifications")
      .update({ dueAt: new Date(0), heldUntil: new Date(0), leasedBy: null });
    await until(async () => (await test.pending()) === 0);
    expect([server.mails.length, (await notifications())[0]?.status]).toEqual([1, "delivered"]);
    test.clock.advance(-3 * HOUR_MS);
  });

  it.each([
    ["its last day is not counted", ALL_OF_MAY - 2 ** 30, 0, 0],
    ["only its last day is counted", 2 ** 30, 0, 1],
    ["it ended six days ago", ALL_OF_MAY, 6, 1],
    ["it ended a week ago", ALL_OF_MAY, 7, 0],
  ])("when %s", async (_, countedDays, daysLater, sent) => {
    await subscribe(await anEmail());
    await storeMay(countedDays);
    test.clock.advance(daysLater * DAY_MS);
    await sendReports(test.services);
    test.clock.advance(-daysLater * DAY_MS);
    expect(await notifications()).toHaveLength(sent);
  });

  it("is not sent to who subscribes afterwards, nor where no check ran, nor to another team", async () => {
    const id = await anEmail();
    await storeMay();
    await sendReports(test.services);
    await subscribe(id);
    await sendReports(test.services);
    expect(await notifications()).toEqual([]);
    test.team = await test.createTeam();
    await test.services.knex("teams").update({ createdAt: new Date(MAY_MS - DAY_MS) });
    await subscribe(await anEmail());
    await test.services
      .knex("reportMonths")
      .insert({ teamId: test.team.teamId, month: "2026-05", countedDays: ALL_OF_MAY });
    await sendReports(test.services);
    expect(await test.services.knex("notifications").count()).toEqual([{ count: 0 }]);
    expect(await test.services.knex("reportMonths").whereNull("sentAt")).toEqual([]);
  });
});
