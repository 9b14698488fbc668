import { expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

const times = { createdAt: "2026-05-01T00:00:00.000Z", updatedAt: null };
const channels = [
  {
    id: "nch_1",
    name: "Hook",
    type: "webhook",
    ...times,
    incidentSubscribed: true,
    config: {
      type: "webhook",
      url: "https://hooks.example/T00/s3cr3t-path",
      headers: { Authorization: "Bearer s3cr3t-header" },
    },
  },
  {
    id: "nch_2",
    name: "Desk",
    type: "ticketing",
    ...times,
    config: {
      type: "ticketing",
      instanceUrl: "https://desk.example",
      username: "s3cr3t-user",
      password: "s3cr3t-word",
    },
  },
  {
    id: "nch_3",
    name: "Mail",
    type: "email",
    ...times,
    config: { type: "email", addresses: ["a@example.org", "b@example.org"] },
  },
];
const delivery = {
  id: "del_1",
  notificationId: "ntf_1",
  eventType: "triggered",
  subjectId: "ainst_1",
  status: "failed",
  notificationStatus: "pending",
  isTest: false,
  attempt: 2,
  httpStatus: 503,
  error: "HTTP 503",
  durationMs: 81,
  nextAttemptAt: "2026-06-01T12:05:00.000Z",
  createdAt: "2026-06-01T11:59:00.000Z",
};
const delivered = {
  ...delivery,
  status: "delivered",
  notificationStatus: "delivered",
  httpStatus: 200,
  error: null,
};
const svc = (args: string[], more = {}) =>
  svcWith({ "GET /api/notification-channels": { channels }, ...more }, ["channels", ...args]);

it.each([
  [["list"]],
  [["list", "--json"]],
  [["get", "Hook"]],
  [["get", "Hook", "--json"]],
  [["get", "Desk"]],
  [["get", "Desk", "--json"]],
])("%j shows no credential", async (args) => {
  const { code, stdout, stderr } = await svc(args);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toContain("s3cr3t");
  expect(stdout).toMatch(/hooks\.example|desk\.example/);
});

it("lists where each leads", async () => {
  expect((await svc(["list"])).stdout).toMatch(/Mail +email +a@example.org, b@example.org +31d ago +nch_3/);
});

it("lists attempts with their outcome and when the next one is due", async () => {
  const route = "GET /api/notification-channels/nch_1/deliveries";
  const { stdout } = await svc(["deliveries", "hook"], { [route]: { deliveries: [delivery] } });
  expect(stdout).toMatch(/1m ago +failed +triggered +2 +503 +HTTP 503 +in 5m +del_1/);
});

it("shows of a failed attempt that a later one was delivered", async () => {
  const route = "GET /api/notification-channels/nch_1/deliveries";
  const failed = { ...delivery, notificationStatus: "delivered", nextAttemptAt: null };
  const { stdout } = await svc(["deliveries", "hook"], { [route]: { deliveries: [delivered, failed] } });
  expect(stdout).toMatch(/1m ago +delivered +triggered/);
  expect(stdout).toMatch(/1m ago +failed, delivered later +triggered/);
});

it.each([
  ["delivered", delivered, 0, true],
  ["not delivered", delivery, 1, false],
])(
  "a test that was %s says so by its exit code, within an answer that is ok",
  async (_, made, code, isDelivered) => {
    const route = "POST /api/notification-channels/nch_1/test";
    const answer = { [route]: { success: isDelivered, delivery: made } };
    const ran = await svc(["test", "Hook", "--event", "recovered", "--json"], answer);
    expect(ran.changes).toEqual([{ route, body: { eventType: "recovered" } }]);
    expect([ran.code, ran.json().ok, ran.json().data.delivered]).toEqual([code, true, isDelivered]);
    const text = (await svc(["test", "Hook"], answer)).stdout;
    expect(text).toContain(isDelivered ? "Delivered to Hook in 81 ms (HTTP 200)" : "Not delivered to Hook");
  },
);

it("a test too soon after the last one says when to try again", async () => {
  const fetch = async (input: unknown) =>
    String(input).endsWith("/test")
      ? Response.json({ error: "Tested a moment ago" }, { status: 429, headers: { "retry-after": "42" } })
      : Response.json({ channels });
  const { code, stderr } = await svcWith({}, ["channels", "test", "Hook"], { fetch });
  expect([code, stderr]).toEqual([1, "error: Tested a moment ago (try again in 42 s)\n"]);
});

it("redelivers one attempt's notification", async () => {
  const route = "POST /api/notification-channels/nch_2/deliveries/del_1/redeliver";
  const ran = await svc(["redeliver", "Desk", "del_1"], { [route]: { success: true, delivery: delivered } });
  expect([ran.code, ran.changes]).toEqual([0, [route]]);
});

it("an edit that changes nothing answers the channel with its secrets masked", async () => {
  const { code, changes, stdout, json } = await svc(["edit", "Hook", "--name", "Hook", "--json"]);
  expect([code, changes, json().data.changed]).toEqual([0, [], []]);
  expect(stdout).not.toContain("s3cr3t");
});
