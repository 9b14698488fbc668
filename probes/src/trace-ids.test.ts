/** The trace ids that runs send: each to a real server on loopback. */
import { type CheckId, type CheckType, type LocationId, retrySchema } from "@svc/contract";
import { traceIdOfRun } from "@svc/contract/trace-id";
import { describe, expect, it } from "vitest";
import { mcpServer } from "../test-support/mcp-server.ts";
import { runOf } from "../test-support/run-of.ts";
import { httpServer } from "../test-support/servers.ts";
import type { ProbeContext } from "./run/probe.ts";

const CHECK_ID = "chk_01k9b2m4x7e8c9d0f1g2h3j4k5" as CheckId;
const LOCATION_ID = "loc_us_east" as LocationId;
const SLOT_MS = 1_795_651_200_000;
const OF_THE_RUN = traceIdOfRun({ checkId: CHECK_ID, locationId: LOCATION_ID, slotMs: SLOT_MS });
const OWN = "0af7651916cd43dd8448eb211c80319c";
const OWN_HEADER = `00-${OWN}-b7ad6b7169203331-01`;

/** A check of a type that sends a trace, against a server that notes the headers that it gets. */
interface Target {
  config: Record<string, unknown>;
  traceparents: () => unknown[];
}

const TARGETS: Partial<Record<CheckType, (headers?: Record<string, string>) => Promise<Target>>> = {
  http: async (headers) => {
    const { url, traceparents } = await aServer();
    return { config: { url, headers }, traceparents };
  },
  multistep: async (headers) => {
    const { url, traceparents } = await aServer();
    return { config: { steps: [{ name: "Look", url, headers }] }, traceparents };
  },
  mcp: async () => {
    const { endpoint, headers } = await mcpServer({});
    return { config: { endpoint }, traceparents: () => headers.map(({ traceparent }) => traceparent) };
  },
};

async function aServer() {
  const traceparents: unknown[] = [];
  const url = await httpServer((request, response) => {
    traceparents.push(request.headers.traceparent);
    // The first attempt fails.
    response.writeHead(traceparents.length === 1 ? 503 : 200).end();
  });
  return { url, traceparents: () => traceparents };
}

const run = (type: CheckType, { config }: Target, context: Partial<ProbeContext>, request = {}) =>
  runOf(type, config, { context, request: { checkId: CHECK_ID, slotMs: SLOT_MS, ...request } });

describe.each(Object.entries(TARGETS))("a run of type %s", (name, target) => {
  const type = name as CheckType;

  it("whose result is stored sends the trace id that follows from check, location and slot, and reports it", async () => {
    const aimed = await target();
    const { traceId } = await run(type, aimed, { locationId: LOCATION_ID });
    expect(traceId).toBe(OF_THE_RUN);
    expect(aimed.traceparents().length).toBeGreaterThan(0);
    for (const header of aimed.traceparents())
      expect(header).toBe(`00-${OF_THE_RUN}-${OF_THE_RUN.slice(16)}-01`);
  });

  it("at another location or of another slot sends another", async () => {
    const aimed = await target();
    const ids = [
      await run(type, aimed, { locationId: LOCATION_ID }),
      await run(type, aimed, { locationId: "loc_eu_central" as LocationId }),
      await run(type, aimed, { locationId: LOCATION_ID }, { slotMs: SLOT_MS + 60_000 }),
    ].map(({ traceId }) => traceId);
    expect(new Set(ids).size).toBe(3);
  });

  it("whose result is not stored sends a random one", async () => {
    const aimed = await target();
    const first = await run(type, aimed, {});
    const second = await run(type, aimed, {});
    expect(first.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set([first.traceId, second.traceId, OF_THE_RUN]).size).toBe(3);
    expect(aimed.traceparents()[0]).toContain(first.traceId);
  });
});

it("the attempts of a run send one trace id", async () => {
  const aimed = await (TARGETS.http as () => Promise<Target>)();
  aimed.config.assertions = [{ type: "status_code", value: 200 }];
  const retry = retrySchema.parse({
    strategy: "fixed",
    maxRetries: 1,
    baseBackoffSeconds: 1,
    maxDurationSeconds: 60,
  });
  const result = await run("http", aimed, { locationId: LOCATION_ID, sleep: async () => {} }, { retry });
  expect([result.status, result.traceId]).toEqual(["success", OF_THE_RUN]);
  expect(aimed.traceparents()).toHaveLength(2);
  for (const header of aimed.traceparents()) expect(header).toContain(OF_THE_RUN);
});

it.each(["http", "multistep"] as const)(
  "a check of type %s that sets a traceparent of its own sends that one",
  async (type) => {
    const aimed = await (TARGETS[type] as (headers: Record<string, string>) => Promise<Target>)({
      traceparent: OWN_HEADER,
    });
    const { traceId } = await run(type, aimed, { locationId: LOCATION_ID });
    expect(aimed.traceparents()).toEqual([OWN_HEADER]);
    if (type === "http") expect(traceId).toBe(OWN);
  },
);
