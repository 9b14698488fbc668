import { newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { anIncidentNotification, aSendContext } from "../../../test-support/notifications.ts";
import { aMailServer, aReceiver } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import type { IncidentOccasionType } from "../incident-occasions/registry.ts";
import type { AlertExcerpt } from "../payload.ts";
import { chat } from "./chat.ts";
import { email } from "./email.ts";
import { paging } from "./paging.ts";
import { ticketing } from "./ticketing.ts";
import { webhook } from "./webhook.ts";

const ID = "inc_01h2xcejqtf2nbrexx3vqjhp41";
const PAGE = `https://svc.example/incidents/${ID}`;
const TITLE = "Example check: status 503, expected 200";
const anExcerpt = (summary: string): AlertExcerpt => ({
  instanceId: newId("alertInstance"),
  rule: { id: newId("alertRule"), name: "Down" },
  summary,
  severity: "critical",
  check: { id: newId("check"), name: "Shop", type: "http" },
  startedAt: "2026-06-01T12:00:00.000Z",
  targetUrl: "https://example.com/",
  locations: ["US East (Virginia)"],
  traceId: null,
});

/** Title for people, and the effect on pages and tickets. */
const OCCASIONS: [IncidentOccasionType, string, boolean, string, object][] = [
  ["opened", `[CRITICAL] ${TITLE}: incident opened`, false, "trigger", { impact: "1", urgency: "1" }],
  ["alert_attached", `[CRITICAL] ${TITLE}: alert joined the incident`, false, "trigger", { impact: "1" }],
  ["severity_changed", `[CRITICAL] ${TITLE}: incident severity changed`, false, "trigger", { urgency: "1" }],
  ["acknowledged", `[CRITICAL] ${TITLE}: incident acknowledged`, false, "acknowledge", {}],
  ["reopened", `[CRITICAL] ${TITLE}: incident reopened`, false, "trigger", { state: "2" }],
  ["auto_resolved", `${TITLE}: incident resolved`, true, "resolve", { state: "6" }],
  ["closed", `${TITLE}: incident closed`, true, "resolve", { state: "6" }],
  ["members_recovered", `${TITLE}: all alerts recovered`, true, "resolve", { state: "6" }],
  ["note_added", `[CRITICAL] ${TITLE}: note added`, false, "trigger", {}],
  ["alerts_recovered", `${TITLE}: alerts recovered`, true, "trigger", {}],
];

describe.each(OCCASIONS)("%s", (occasion, title, isEnding, action, change) => {
  const notification = anIncidentNotification(occasion);

  it("chat: the title is the first line, with the incident's page and colour", () => {
    const { body } = chat.render(announce(notification), { type: "chat", webhookUrl: "http://127.0.0.1:1/" });
    expect(body.text.split("\n")[0]).toMatch(/^:\w+: \*.*\*$/);
    expect(body.text.split("\n")[0]).toContain(`*${title}*`);
    expect(body.text).toContain(`<${PAGE}|Open the incident>`);
    expect(body.attachments[0]).toMatchObject({ title: TITLE, title_link: PAGE });
    expect(body.attachments[0]?.color).toBe(isEnding ? "#12b76a" : "#d92d20");
  });

  it("email: the title is the subject, and the details are in the text", () => {
    const message = email.render(announce(notification), { type: "email", addresses: ["ada@example.org"] });
    expect(message).toMatchObject({ subject: title, threadId: ID, isFirstOfThread: occasion === "opened" });
    for (const part of ["Severity: critical", "Opened: 2026-06-01 12:00:00 UTC", PAGE])
      expect(message.text).toContain(part);
    expect(message.html).toContain(`<a href="${PAGE}">`);
  });

  it("paging: acts on the page of the incident", () => {
    const config = { type: "paging" as const, routingKey: "R0", serviceRegion: "us" as const };
    const { body } = paging.render(announce(notification), config);
    expect(body).toMatchObject({ routing_key: "R0", event_action: action, dedup_key: ID });
    if (action === "trigger")
      expect(body).toMatchObject({
        client_url: PAGE,
        payload: { severity: "critical", summary: expect.stringContaining(title) },
      });
    else expect(body).not.toHaveProperty("payload");
  });

  it("ticketing: makes or changes the ticket of the incident", () => {
    const { ticket, ...message } = ticketing.render(announce(notification), {
      type: "ticketing",
      instanceUrl: "http://127.0.0.1:1",
      username: "svc",
      password: "p",
    });
    expect(message.correlationId).toBe(ID);
    expect(message.change).toMatchObject({ work_notes: expect.stringContaining(title), ...change });
    const begins = ["opened", "alert_attached", "severity_changed", "reopened"].includes(occasion);
    expect(ticket).toEqual(
      begins ? expect.objectContaining({ short_description: title, correlation_id: ID }) : null,
    );
  });

  it("webhook: is an event with the default body, or no event and refused", () => {
    const config = { type: "webhook" as const, url: "http://127.0.0.1:1/", method: "POST" as const };
    const render = () => webhook.render(announce(notification), { ...config, headers: {} });
    if (occasion === "alerts_recovered" || occasion === "members_recovered")
      return expect(render).toThrow(TypeError);
    expect(render().body).toMatchObject({
      schema_version: 1,
      event: { eventType: occasion, payload: { eventType: occasion } },
      incident: { incidentId: ID, triageUrl: PAGE },
    });
  });
});

describe("the summary of an event", () => {
  const summaryOf = (
    occasion: IncidentOccasionType,
    overrides: Parameters<typeof anIncidentNotification>[1],
  ) => {
    const notification = anIncidentNotification(occasion, overrides);
    return chat.render(announce(notification), { type: "chat", webhookUrl: "" }).body.text.split("\n")[1];
  };

  it("an opening: the alert in its own words, then the hypothesis", () => {
    expect(summaryOf("opened", { alerts: [anExcerpt("Shop: down")], alertCount: 1 })).toMatch(
      /^Shop: down - This is a test: example.com answers 503/,
    );
  });

  it("many that joined: the first ones and how many more", () => {
    const alerts = ["a", "b", "c"].map(anExcerpt);
    expect(summaryOf("alert_attached", { alerts, alertCount: 40 })).toBe("a; b; c; and 37 more");
  });

  it("a note: its text, which can forge no link and call nobody", () => {
    const { payload } = anIncidentNotification("note_added").payload;
    const note = { id: newId("incidentNote"), body: "<!channel>\n<https://evil.example|Open>" };
    expect(summaryOf("note_added", { payload: { ...payload, note } })).toBe(
      "&lt;!channel&gt; &lt;https://evil.example|Open&gt;",
    );
  });

  it("a change of severity: from what to what", () => {
    expect(summaryOf("severity_changed", {})).toMatch(/^From warning to critical\. /);
  });

  it("a close by the service: why", () => {
    const { payload } = anIncidentNotification("closed").payload;
    expect(summaryOf("closed", { payload: { ...payload, reason: "part of another" } })).toBe(
      "part of another",
    );
  });
});

it("mails of one incident are one thread", async () => {
  const server = await aMailServer();
  const settings = { smtpUrl: server.url, smtpFrom: "svc@example.com" };
  for (const occasion of ["opened", "closed"] as const) {
    const message = email.render(announce(anIncidentNotification(occasion)), {
      type: "email",
      addresses: ["ada@example.org"],
    });
    await email.send(message, aSendContext({ settings }));
  }
  const thread = `<${ID}@svc.example>`;
  expect(server.mails.map(({ mail }) => [mail.references, mail.inReplyTo])).toEqual([
    [thread, undefined],
    [thread, thread],
  ]);
});

it("a ticket that was resolved when all alerts ended is in progress again when another joins", async () => {
  const receiver = await aReceiver(() => ({ status: 200, body: '{"result":{}}' }));
  const { payload } = anIncidentNotification("alert_attached").payload;
  const joined = (openMemberCount: number) =>
    ticketing.render(
      announce(anIncidentNotification("alert_attached", { payload: { ...payload, openMemberCount } })),
      { type: "ticketing", instanceUrl: receiver.url, username: "svc", password: "p" },
    );
  expect(joined(1).change).toMatchObject({ state: "2" });
  expect(joined(2).change).not.toHaveProperty("state");
  const report = await ticketing.send(joined(1), aSendContext({ externalId: "sys7" }));
  expect(report).toEqual({ httpStatus: 200, externalId: "sys7" });
  expect(receiver.received).toMatchObject([{ method: "PATCH", path: "/api/now/table/incident/sys7" }]);
});
