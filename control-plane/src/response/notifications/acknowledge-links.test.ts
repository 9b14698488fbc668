import { channelTypes, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { anIncidentNotification } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { announce } from "../../outbox/announce.ts";
import { type AnySender, channelSenders } from "../../outbox/channels/registry.ts";
import { type IncidentOccasionType, incidentOccasions } from "../../outbox/incident-occasions/registry.ts";
import { enqueue } from "../../outbox/outbox.ts";
import { verifyAcknowledgeToken } from "../incidents/acknowledge-link.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const INCIDENT = newId("incident");

/** Sends a message about an incident by the outbox, and returns the texts that arrived, one for each attempt. */
async function sent(acknowledgeLinks: boolean | undefined, occasion: IncidentOccasionType = "opened") {
  const receiver = await aReceiver((_, nth) => ({ status: nth === 0 ? 503 : 200 }));
  const channel = {
    type: "chat",
    webhookUrl: receiver.url,
    ...(acknowledgeLinks !== undefined && { acknowledgeLinks }),
  };
  const created = (await test.call("POST", CHANNELS_PATH, { name: newId("channel"), channel })).body.channel;
  const { knex } = test.services;
  const { key } = await knex("notificationChannels").where({ id: created.id }).first("key");
  await knex.transaction((trx) =>
    enqueue(trx, [
      {
        teamId: test.team.teamId,
        channelKeys: [key],
        kind: `incident.${occasion}`,
        subjectId: INCIDENT,
        payload: anIncidentNotification(occasion).payload,
      },
    ]),
  );
  const worker = test.aWorker({ pollIntervalMs: 50 });
  await until(async () => {
    await test.hurry();
    return (await test.pending()) === 0;
  });
  await worker.close();
  return { channelId: created.id, texts: receiver.received.map(({ body }) => body.text as string) };
}

describe("a message about an open incident", () => {
  it("has the link in a channel that says so, the same one in each attempt", async () => {
    const { channelId, texts } = await sent(true);
    expect(texts).toHaveLength(2);
    expect(texts[1]).toBe(texts[0]);
    const [, token = ""] =
      /<http:[^|>]*\/acknowledge\?token=([^|>]+)\|Acknowledge>/.exec(texts[0] ?? "") ?? [];
    expect(verifyAcknowledgeToken(test.services.secrets, token)).toEqual({
      incidentId: INCIDENT,
      channelId,
      issuedAtMs: Date.parse(anIncidentNotification("opened").payload.occurredAt),
    });
  });

  it("has none in a channel that does not say so", async () => {
    for (const setting of [undefined, false]) {
      const { texts } = await sent(setting);
      expect(texts).not.toEqual([]);
      expect(texts.join()).not.toMatch(/acknowledge/i);
    }
  });
});

const LINK = "https://svc.example/acknowledge?token=inc_x.nch_x.1.signature";
const withLink = (occasion: IncidentOccasionType) => {
  const notification = anIncidentNotification(occasion);
  return announce({ ...notification, links: { ...notification.links, acknowledge: LINK } });
};

it("only messages about incidents that are open, and not about an end, have the link", () => {
  const having = incidentOccasions.types.filter((occasion) =>
    withLink(occasion).links.some(({ url }) => url === LINK),
  );
  expect(having.sort()).toEqual([
    "alert_attached",
    "note_added",
    "opened",
    "reopened",
    "severity_changed",
    "unacknowledged",
  ]);
});

const CONFIGS: Record<string, object> = {
  email: { addresses: ["ada@example.org"] },
  slack: { botToken: "x", channel: "C1", apiUrl: "https://slack.example/api" },
  telegram: { botToken: "x", chatId: "1", apiUrl: "https://telegram.example" },
  ntfy: { topicUrl: "https://ntfy.example/t" },
};
it.each(channelTypes.members.filter(({ audience }) => audience === "people").map(({ type }) => type))(
  "%s lays the link out",
  (type) => {
    const config = CONFIGS[type] ?? { webhookUrl: "https://hooks.example/x" };
    const sender = channelSenders.get(type) as AnySender;
    const message = JSON.stringify(sender.render(withLink("opened"), { type, ...config } as never));
    expect(message).toContain(LINK);
    expect(message).toContain("Acknowledge");
  },
);
