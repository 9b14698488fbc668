/** Incidents of checks that fail on demand: an alert test with channels of three audiences and the queue's batch at hand. */
import { newId } from "@svc/contract";
import { processQueue } from "../src/response/incidents/queue-batch.ts";
import { registerIncidentRoutes } from "../src/response/incidents/routes.ts";
import { type AlertTest, type AlertTestCheck, createAlertTest, type Delivered } from "./alerting.ts";

export const EAST = "loc_us_east";
export const WEST = "loc_us_west";
export const EUROPE = "loc_eu_west";

type ChannelName = "webhook" | "chat" | "paging" | "alertsOnly";

/** An alert test with the routes of incidents, and the steps that its tests are written in. */
export interface IncidentTest extends AlertTest {
  /** Ids of the current team's channels. */
  channels: Record<ChannelName, string>;
  /** Makes a new team with channels the current one, an hour later. */
  beginAnew(): Promise<void>;
  /** Stores a check of a target with a rule that fires at the first failure. */
  watched(url: string, options?: WatchedOptions): Promise<AlertTestCheck>;
  now(): number;
  /** Returns a failed result of now. */
  failure(errorCategory?: string, more?: Partial<Delivered>): Delivered;
  /** Delivers a failed result of now. */
  fail(check: AlertTestCheck, errorCategory?: string): Promise<void>;
  /** Delivers a success of now. */
  succeed(check: AlertTestCheck): Promise<void>;
  /** Processes the team's queue of alerts once. */
  process(): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
  incidents(): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
  detail(id: string): Promise<any>;
  eventTypes(id: string): Promise<string[]>;
  /** Acts on an incident as a person who is signed in. */
  act(id: string, action: string, body?: object): ReturnType<AlertTest["call"]>;
  /** Returns the kinds of the notifications that wait for a channel, in their order. */
  notifiedTo(channel: ChannelName): Promise<string[]>;
}

interface WatchedOptions {
  locations?: string[];
  labels?: string[];
  name?: string;
  category?: string;
}

/** Creates the test. Call `beginAnew` before each test of the file. */
export async function createIncidentTest(
  options: { register?: (app: AlertTest["app"], services: AlertTest["services"]) => void } = {},
): Promise<IncidentTest> {
  const test = await createAlertTest({
    register: (app, services) => {
      registerIncidentRoutes(app, services);
      options.register?.(app, services);
    },
  });
  const now = () => test.clock.nowMs();
  const failure = (errorCategory = "connect", more: Partial<Delivered> = {}): Delivered => ({
    slotMs: now(),
    status: "error",
    detail: { errorCategory, errorMessage: `${errorCategory} failed` },
    ...more,
  });
  const detail = async (id: string) => (await test.call("GET", `/api/incidents/${id}`)).body;
  const all: IncidentTest = Object.assign(test, {
    channels: {} as IncidentTest["channels"],
    now,
    failure,
    detail,
    beginAnew: async () => {
      test.team = await test.createTeam();
      all.channels = await createChannels(test);
      test.clock.advance(3_600_000);
    },
    watched: (url: string, options: WatchedOptions = {}) => createWatched(all, url, options),
    fail: (check: AlertTestCheck, errorCategory?: string) => test.deliver(check, [failure(errorCategory)]),
    succeed: (check: AlertTestCheck) => test.deliver(check, [{ slotMs: now() }]),
    process: () => processQueue(test.services.knex, { teamId: test.team.teamId, limit: 1_000, nowMs: now() }),
    incidents: async () => (await test.call("GET", "/api/incidents")).body.incidents,
    eventTypes: async (id: string) =>
      (await detail(id)).events.map((event: { eventType: string }) => event.eventType),
    act: (id: string, action: string, body?: object) =>
      test.call("POST", `/api/incidents/${id}/${action}`, body, test.team.bySession),
    notifiedTo: (channel: ChannelName) => readNotifiedKinds(test, all.channels[channel]),
  });
  return all;
}

async function createChannels(test: AlertTest): Promise<IncidentTest["channels"]> {
  return {
    webhook: await createChannel(test, "webhook"),
    chat: await createChannel(test, "chat"),
    paging: await createChannel(test, "paging"),
    alertsOnly: await test.newChannel(test.team.teamId),
  };
}

async function createChannel({ services, team }: AlertTest, type: string): Promise<string> {
  const id = newId("channel");
  const config = services.secrets.seal(JSON.stringify({ type }), id);
  await services.knex("notificationChannels").insert({ id, teamId: team.teamId, name: id, type, config });
  return id;
}

async function createWatched(
  test: IncidentTest,
  url: string,
  { locations = [EAST], labels = [], name = url }: WatchedOptions,
): Promise<AlertTestCheck> {
  const check = await test.newCheck({ name, locations, httpConfig: { url } });
  await test.newRule(check, {
    name: "Down",
    conditions: [{ type: "consecutive_failures", count: 1 }],
    channelIds: Object.values(test.channels),
  });
  for (const label of labels) await test.services.knex("checkLabels").insert({ checkKey: check.key, label });
  return check;
}

async function readNotifiedKinds({ services }: AlertTest, channelId: string): Promise<string[]> {
  const rows = await services
    .knex("notifications")
    .join("notificationChannels as c", "c.key", "notifications.channelKey")
    .where("c.id", channelId)
    .orderBy("notifications.key")
    .select("notifications.kind");
  return rows.map(({ kind }) => kind);
}
