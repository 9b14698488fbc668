import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { anAnnouncement, anIncidentNotification, aSendContext } from "../../../test-support/notifications.ts";
import { type Answer, aReceiver } from "../../../test-support/receivers.ts";
import { announce } from "../announce.ts";
import { ntfy } from "./ntfy.ts";

const config = { type: "ntfy" as const, topicUrl: "http://127.0.0.1:1/ops-7f3a" };
const PUBLISHED: Answer = { status: 200, body: '{"id":"hwQ2YpKdmg","event":"message"}' };

async function send(answer: Answer, changes: Partial<Parameters<typeof ntfy.render>[1]> = {}) {
  const receiver = await aReceiver(() => answer);
  const message = ntfy.render(anAnnouncement(), {
    ...config,
    topicUrl: `${receiver.url}/ops-7f3a`,
    ...changes,
  });
  const outcome = await ntfy.send(message, aSendContext()).catch((error) => error);
  return { outcome, received: receiver.received };
}

it("publishes JSON at the server's root, with the token if there is one", async () => {
  const { outcome, received } = await send(PUBLISHED, { token: "tk_secret" });
  expect(outcome).toEqual({ httpStatus: 200 });
  expect(received).toMatchObject([
    { method: "POST", path: "/", headers: { authorization: "Bearer tk_secret" } },
  ]);
  expect(received[0]?.body).toEqual({
    topic: "ops-7f3a",
    title: "[CRITICAL] Home page: alert triggered",
    message: expect.stringMatching(/^Home page is failing .*\nCheck: Home page\nRule: Down\n/),
    priority: 5,
    tags: ["rotating_light"],
    click: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
    actions: [
      {
        action: "view",
        label: "Open the alert",
        url: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
      },
      {
        action: "view",
        label: "Open the check",
        url: "https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41",
      },
    ],
  });
  expect((await send(PUBLISHED)).received[0]?.headers).not.toHaveProperty("authorization");
});

it.each([
  ["https://ntfy.sh/ops", "https://ntfy.sh/", "ops"],
  ["http://127.0.0.1:8080/push/ops_1", "http://127.0.0.1:8080/push/", "ops_1"],
])("%s is the topic %s %s", (topicUrl, url, topic) => {
  const message = ntfy.render(anAnnouncement(), { ...config, topicUrl });
  expect([message.url, message.body.topic]).toEqual([url, topic]);
});

it.each([
  ["critical", undefined, 5],
  ["warning", undefined, 4],
  ["info", undefined, 3],
  ["critical", 2, 2],
] as const)("a %s message with the priority %s set has %i", (severity, priority, expected) => {
  const message = ntfy.render(anAnnouncement({ payload: { severity } }), { ...config, priority });
  expect(message.body.priority).toBe(expected);
});

it("an end wakes nobody", () => {
  const { body } = ntfy.render(announce(anIncidentNotification("auto_resolved")), config);
  expect(body).toMatchObject({ priority: 3, tags: ["white_check_mark"] });
});

it.each(["x", '"', "€", "𝒳", "\ud800"])("the longest texts of %j make no attachment", (letter) => {
  const long = letter.repeat(10_000);
  const announcement = {
    ...anAnnouncement(),
    title: long,
    summary: long,
    details: Array.from({ length: 40 }, (_, index) => [`Detail ${index}`, long] as const),
  };
  const { body } = ntfy.render(announcement, config);
  expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(4_096);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(8_192);
});

it("a name begins no line of its own", () => {
  const { body } = ntfy.render(anAnnouncement({ payload: { summary: "a\nCheck: fake" } }), config);
  expect(body.message.split("\n")[0]).toBe("a Check: fake");
});

describe("answers", () => {
  it.each<[Answer, object]>([
    [
      { status: 429, body: '{"code":42901,"http":429}' },
      { mayRetry: true, httpStatus: 429 },
    ],
    [{ status: 507, body: '{"code":50701}' }, { mayRetry: true }],
    [{ status: 401, body: '{"code":40101}' }, { mayRetry: false }],
    [{ status: 403, body: '{"code":40301}' }, { mayRetry: false }],
    [{ status: 400, body: '{"code":40009,"error":"invalid request: topic invalid"}' }, { mayRetry: false }],
    [{ status: 413, body: '{"code":41303}' }, { mayRetry: false }],
    [
      { status: 200, body: "<html>" },
      { mayRetry: false, message: expect.stringContaining("is topicUrl right") },
    ],
    [
      { status: 200, body: "{}" },
      { mayRetry: false, httpStatus: 200 },
    ],
  ])("%j", async (answer, error) => {
    expect((await send(answer)).outcome).toMatchObject(error);
  });
});

it("a private address is refused where the operator has not allowed it", async () => {
  const { url, received } = await aReceiver();
  const message = ntfy.render(anAnnouncement(), { ...config, topicUrl: `${url}/ops` });
  const context = aSendContext({ egress: createEgress({ allowPrivate: false }) });
  await expect(ntfy.send(message, context)).rejects.toThrow(/127\.0\.0\.1/);
  expect(received).toHaveLength(0);
});
