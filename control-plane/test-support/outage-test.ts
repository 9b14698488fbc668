/** Outages of locations, from results to notifications: checks at two locations, two replicas, and the jobs that take part. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { AlertEvaluator } from "../src/alerting/evaluation/evaluator.ts";
import { reviewHolds } from "../src/alerting/holds/review-holds.ts";
import { registerLocationRoutes } from "../src/checks/locations/routes.ts";
import { autoResolve } from "../src/response/incidents/auto-resolve.ts";
import { endLocationOutages } from "../src/response/incidents/end-location-outages.ts";
import type { AlertTestCheck, Delivered } from "./alerting.ts";
import { createIncidentTest, EAST, type IncidentTest, WEST } from "./incident-test.ts";

/** A location by its position in the list of a check's locations. */
export const HERE = 0;
/** The other location. */
export const THERE = 1;

/** Addresses in three registrable domains. */
export const DOMAINS = ["https://a.com/", "https://b.org/", "https://c.net/"];
/** A result without an answer. */
export const CONNECT = {
  status: "error",
  detail: { errorCategory: "connect", errorMessage: "refused" },
} as const;
/** A result that is a success. */
export const OK = { status: "success" } as const;

/** A check with a rule. */
export interface Watched {
  check: AlertTestCheck;
  frequencySeconds: number;
}

/** Checks whose results are stored in one transaction: neither one alone nor all. */
const AT_ONCE = 7;

/** Starts the app before the tests of the calling file, makes a new team before each, and stops it after the last. */
export function setUpOutageTests() {
  const parts = {} as { test: IncidentTest };
  let replicas: AlertEvaluator[];
  beforeAll(async () => {
    parts.test = await createIncidentTest({
      register: (app, services) => registerLocationRoutes(app, services, async () => undefined),
    });
    replicas = [parts.test.evaluator, parts.test.newEvaluator()];
  });
  afterAll(() => parts.test.close());
  beforeEach(() => parts.test.beginAnew());

  async function watched(
    url: string,
    {
      locations = [EAST, WEST],
      frequencySeconds = 60,
      count = 2,
      channels = Object.values(parts.test.channels),
    } = {},
  ): Promise<Watched> {
    const check = await parts.test.newCheck({ name: url, locations, frequencySeconds, httpConfig: { url } });
    await parts.test.newRule(check, {
      conditions: [{ type: "consecutive_failures", count }],
      channelIds: channels,
    });
    return { check, frequencySeconds };
  }

  async function watchAll(
    urls: readonly string[],
    options?: Parameters<typeof watched>[1],
  ): Promise<Watched[]> {
    const all: Watched[] = [];
    for (const url of urls) all.push(await watched(url, options));
    return all;
  }

  /** Delivers one result of each check at a location, all of now, by two replicas at a time. */
  async function deliver(
    all: readonly Watched[],
    position: number,
    result: Partial<Delivered>,
  ): Promise<void> {
    const groups = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) =>
      all.slice(i * AT_ONCE, (i + 1) * AT_ONCE).map(({ check }) => check),
    );
    await Promise.all(
      replicas.map(async (replica, i) => {
        for (const group of groups.filter((_, at) => at % replicas.length === i)) {
          const results = group.map(({ key, locationKeys }) => ({
            slotMs: parts.test.now(),
            checkKey: key,
            locationKey: locationKeys[position] as number,
            ...result,
          }));
          await parts.test.deliver(group[0] as AlertTestCheck, results, replica.evaluateStored);
        }
      }),
    );
  }

  async function work(): Promise<void> {
    await parts.test.process();
    await endLocationOutages(parts.test.services.knex, parts.test.now());
    await reviewHolds(parts.test.services.knex, parts.test.now());
    await parts.test.process();
    await autoResolve(parts.test.services);
  }

  /** Lets a minute pass in which each check runs once here and once there. */
  async function minute(
    all: readonly Watched[],
    here: Partial<Delivered>,
    there: Partial<Delivered> = OK,
  ): Promise<void> {
    parts.test.clock.advance(30_000);
    await deliver(all, HERE, here);
    await work();
    parts.test.clock.advance(30_000);
    await deliver(all, THERE, there);
    await work();
  }

  async function minutes(count: number, ...of: Parameters<typeof minute>): Promise<void> {
    for (let i = 0; i < count; i++) await minute(...of);
  }

  async function alertOf({ check }: Watched) {
    const { body } = await parts.test.call("GET", `/api/alerts/instances?checkId=${check.id}`);
    return body.instances[0];
  }
  const chat = () => parts.test.notifiedTo("chat");
  return Object.assign(parts, { watched, watchAll, deliver, work, minute, minutes, alertOf, chat });
}
