import { expect, it } from "vitest";
import { anAnnouncement, aSendContext } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { paging } from "./paging.ts";

const config = { type: "paging" as const, routingKey: "R0", serviceRegion: "us" as const };

it.each([
  ["triggered", "trigger"],
  ["escalated", "trigger"],
  ["acknowledged", "acknowledge"],
  ["recovered", "resolve"],
  ["resolved", "resolve"],
] as const)("%s becomes %s under the instance's dedup key", (kind, action) => {
  expect(paging.render(anAnnouncement({ kind }), config).body).toMatchObject({
    routing_key: "R0",
    event_action: action,
    dedup_key: "ainst_01h2xcejqtf2nbrexx3vqjhp41",
  });
});

it("a page names the trouble, its severity, its start and where to look", () => {
  const { body } = paging.render(anAnnouncement({ payload: { severity: "warning" } }), config);
  expect(body).toMatchObject({
    client_url: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
    payload: {
      summary:
        "[WARNING] Home page: alert triggered - Home page is failing from US East: status 503, expected 200",
      source: "https://example.com/",
      severity: "warning",
      timestamp: "2026-06-01T12:00:01.000Z",
      component: "Home page",
      custom_details: { Locations: "US East (Virginia)" },
    },
  });
});

it("a summary never exceeds what the API takes", () => {
  const { body } = paging.render(anAnnouncement({ payload: { summary: "🔥".repeat(3_000) } }), config);
  const { summary } = body.payload as { summary: string };
  expect([...summary]).toHaveLength(1_024);
  expect(summary.isWellFormed()).toBe(true);
});

it.each(["us", "eu"] as const)("region %s has its own address", async (region) => {
  const asked: string[] = [];
  const egress = {
    ...aSendContext().egress,
    pin: async (hostname: string) => {
      asked.push(hostname);
      throw new Error("not from here");
    },
  };
  const message = paging.render(anAnnouncement(), { ...config, serviceRegion: region });
  await expect(paging.send(message, aSendContext({ egress }))).rejects.toThrow();
  expect(asked).toEqual([region === "us" ? "events.pagerduty.com" : "events.eu.pagerduty.com"]);
});

it("the operator's own base URL takes its place, private or not", async () => {
  const receiver = await aReceiver(() => ({ status: 202, body: '{"status":"success"}' }));
  const message = paging.render(anAnnouncement(), config);
  const context = aSendContext({ settings: { pagingBaseUrl: `${receiver.url}/pd/` } });
  expect(await paging.send(message, context)).toEqual({ httpStatus: 202 });
  expect(receiver.received).toMatchObject([{ method: "POST", path: "/pd/v2/enqueue", body: message.body }]);
});
