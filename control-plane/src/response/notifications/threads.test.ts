import { type IncidentId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { anIncidentNotification } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { enqueue } from "../../outbox/outbox.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const OCCASIONS = ["opened", "alert_attached", "acknowledged", "note_added", "members_recovered"] as const;

async function reportIncident(incidentId: IncidentId, channelId: string): Promise<void> {
  const { knex } = test.services;
  const { key } = await knex("notificationChannels").where({ id: channelId }).first("key");
  await knex.transaction((trx) =>
    enqueue(
      trx,
      OCCASIONS.map((occasion) => ({
        teamId: test.team.teamId,
        channelKeys: [key],
        kind: `incident.${occasion}` as const,
        subjectId: incidentId,
        payload: anIncidentNotification(occasion).payload,
      })),
    ),
  );
}

it("all messages about an incident are in the thread of its first, whichever replica sends, and however often it tries", async () => {
  const posted: { ts: string; thread_ts?: string; text: string }[] = [];
  const slack = await aReceiver(({ body }, nth) => {
    // Each kind of refusal that is worth a repetition, also of the very first message.
    if (nth % 4 === 0) return { status: 429, headers: { "retry-after": "1" }, body: '{"ok":false}' };
    if (nth % 4 === 2) return { status: 200, body: '{"ok":false,"error":"internal_error"}' };
    const ts = `17000000${10 + posted.length}.000100`;
    posted.push({ ts, ...body });
    return { status: 200, body: JSON.stringify({ ok: true, channel: "C01", ts }) };
  });
  const channel = { type: "slack", botToken: "xoxb-1", channel: "C01", apiUrl: `${slack.url}/api` };
  const created = await test.call("POST", CHANNELS_PATH, { name: "Ops", channel });
  expect(created.status).toBe(201);
  const incidents = [newId("incident"), newId("incident"), newId("incident")];
  for (const incident of incidents) await reportIncident(incident, created.body.channel.id);
  test.aWorker({ pollIntervalMs: 50 });
  test.aWorker({ pollIntervalMs: 50 });
  await until(async () => {
    await test.hurry();
    return (await test.pending()) === 0;
  });
  expect(posted).toHaveLength(incidents.length * OCCASIONS.length);
  const first = posted.filter(({ thread_ts }) => thread_ts === undefined);
  expect(first).toHaveLength(incidents.length);
  for (const { ts, text } of first) {
    expect(text).toContain("incident opened");
    expect(posted.filter(({ thread_ts }) => thread_ts === ts)).toHaveLength(OCCASIONS.length - 1);
  }
});
