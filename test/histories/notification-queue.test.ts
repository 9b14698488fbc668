/** The outbox, in PostgreSQL and in the model of histories. */
import { randomUUID } from "node:crypto";
import { type ChannelId, newId, type TeamId } from "@svc/contract";
import { enqueue } from "../../control-plane/src/outbox/outbox.ts";
import { postgresNotificationQueue } from "../../control-plane/src/response/notifications/notification-queue.ts";
import { createTestDatabase } from "../../control-plane/test-support/database.ts";
import { aTeam, testServices } from "../../control-plane/test-support/fleet.ts";
import { aPayload } from "../../control-plane/test-support/notifications.ts";
import { Database } from "./database.ts";
import { drive } from "./drive.ts";
import { enqueueIn, modelNotificationQueue } from "./notification-model.ts";
import { describeNotificationQueue } from "./notification-queue.contract.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { Tables } from "./tables.ts";

describeNotificationQueue("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const database = new Database(scheduler, new Random(2));
  const tables = new Tables();
  const process = new SimulatedProcess(scheduler, "replica");
  for (const [i, team] of ["team_1", "team_1", "team_2"].entries())
    tables.channels.push({ key: i + 1, id: `nch_${i + 1}` as ChannelId, teamId: team as TeamId });
  const settle = <T>(work: Promise<T>) => drive(scheduler, work);
  return {
    queue: modelNotificationQueue({ database, tables, process }),
    channelKeys: [1, 2, 3],
    report: (channelKey, instanceId, kind) =>
      settle(
        database.write(process, () => {
          const channel = tables.channels[channelKey - 1];
          if (!channel) throw new Error("there is no such channel");
          const { id, teamId } = channel;
          enqueueIn({ database, tables }, [
            { teamId, channelIds: [id], kind, instanceId, payload: aPayload() },
          ]);
        }),
      ),
    age: async (ms) => {
      for (const row of tables.outbox) {
        row.dueAtMs -= ms;
        row.createdAtMs -= ms;
      }
    },
    empty: async () => {
      tables.outbox.length = 0;
    },
    settle,
    close: async () => undefined,
  };
});

describeNotificationQueue("PostgreSQL", async () => {
  const { knex, drop } = await createTestDatabase();
  const teams = [await aTeam(knex), await aTeam(knex)] as const;
  const teamOf = new Map<number, TeamId>();
  const aChannel = async (teamId: string) => {
    const id = newId("channel");
    const [row] = await knex("notificationChannels")
      .insert({ id, teamId, name: randomUUID(), type: "webhook", config: Buffer.from("sealed") })
      .returning("key");
    teamOf.set(row.key, teamId as TeamId);
    return row.key as number;
  };
  const [own, foreign] = teams;
  return {
    queue: postgresNotificationQueue(knex, testServices(knex).log, async () => undefined),
    channelKeys: [await aChannel(own.id), await aChannel(own.id), await aChannel(foreign.id)],
    report: async (channelKey, subjectId, kind) => {
      const teamId = teamOf.get(channelKey) as TeamId;
      await enqueue(knex, [{ teamId, channelKeys: [channelKey], kind, subjectId, payload: aPayload() }]);
    },
    age: async (ms) => {
      const earlier = (column: string) => knex.raw(`?? - ? * interval '1 ms'`, [column, ms]);
      await knex("notifications").update({ dueAt: earlier("due_at"), createdAt: earlier("created_at") });
    },
    empty: async () => {
      await knex("notifications").delete();
    },
    settle: (work) => work,
    close: drop,
  };
});
