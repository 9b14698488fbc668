import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { aSurface, aTool, MCP_ENDPOINT } from "../../../test-support/mcp.ts";
import { registerEventRoutes } from "../../telemetry/feed/routes.ts";
import { registerResultRoutes } from "../routes.ts";

let test: AlertTest;
let nextSlotMs: number;

beforeAll(async () => {
  const clock = createTestClock(Date.now());
  test = await createAlertTest({
    clock,
    register: (app, services) => {
      registerEventRoutes(app, services);
      registerResultRoutes(app, services);
    },
  });
  nextSlotMs = clock.nowMs() - 1_000_000;
});
afterAll(() => test.close());

const V1 = aSurface();
const V2 = aSurface({ tools: [aTool("echo"), aTool("added")] });

const newCheck = () =>
  test.newCheck({
    name: "Tools",
    type: "mcp",
    mcpConfig: { endpoint: MCP_ENDPOINT },
    locations: ["loc_us_east", "loc_eu_west"],
  });

/** A later slot at each call. */
function slot(): number {
  nextSlotMs += 1_000;
  return nextSlotMs;
}

async function driftsOf(check: AlertTestCheck): Promise<unknown[]> {
  const { body } = await test.call("GET", `/api/checks/${check.id}/results?detail=true`);
  return body.results
    .toReversed()
    .map(({ mcpSchemaDrift }: { mcpSchemaDrift: { added: string[]; removed: string[] } | null }) =>
      mcpSchemaDrift ? [mcpSchemaDrift.added, mcpSchemaDrift.removed] : null,
    );
}

describe("drift", () => {
  it("the first run sets the baseline, a change is reported once and is the next baseline", async () => {
    const check = await newCheck();
    for (const mcp of [V1, V1, V2, V2, undefined]) await test.deliver(check, [{ slotMs: slot(), mcp }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    expect(await driftsOf(check)).toEqual([null, null, [["added"], []], null, null, [[], ["added"]]]);
  });

  it("two locations that meet a change at once report it once, also over two replicas", async () => {
    const check = await newCheck();
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    const slotMs = slot();
    await Promise.all(
      check.locationKeys.map((locationKey) => test.deliver(check, [{ slotMs, locationKey, mcp: V2 }])),
    );
    expect((await driftsOf(check)).filter((drift) => drift !== null)).toEqual([[["added"], []]]);
  });

  it("two replicas that bring the first runs at once agree on one baseline", async () => {
    const check = await newCheck();
    const [east, west] = check.locationKeys;
    const [first, second] = [slot(), slot()];
    await Promise.all([
      test.deliver(check, [{ slotMs: first, locationKey: east as number, mcp: V1 }]),
      test.deliver(check, [{ slotMs: second, locationKey: west as number, mcp: V1 }]),
    ]);
    expect(await driftsOf(check)).toEqual([null, null]);
  });

  it("results of one batch are gone through in their order", async () => {
    const check = await newCheck();
    const [a, b, c] = [slot(), slot(), slot()];
    await test.deliver(check, [
      { slotMs: c, mcp: V2 },
      { slotMs: a, mcp: V1 },
      { slotMs: b, mcp: V1 },
    ]);
    expect(await driftsOf(check)).toEqual([null, null, [["added"], []]]);
  });

  it("a result that comes late changes nothing", async () => {
    const check = await newCheck();
    const late = slot();
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: V2 }]);
    await test.deliver(check, [{ slotMs: late, mcp: V1 }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: V2 }]);
    expect(await driftsOf(check)).toEqual([null, null, [["added"], []], null]);
  });

  it("a result delivered twice reports once", async () => {
    const check = await newCheck();
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    const slotMs = slot();
    for (let i = 0; i < 2; i++) await test.deliver(check, [{ slotMs, mcp: V2 }]);
    expect(await driftsOf(check)).toEqual([null, [["added"], []]]);
  });

  it("another endpoint begins anew, and what was seen at the former one changes nothing any more", async () => {
    const check = await newCheck();
    const endpoint = "https://other.test/mcp";
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    const changed = await test.call("PUT", `/api/checks/${check.id}`, { configJson: { endpoint } });
    expect(changed.status).toBe(200);
    const others = aSurface({ endpoint, tools: [aTool("other")] });
    await test.deliver(check, [{ slotMs: slot(), mcp: others }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: V2 }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: others }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: aSurface({ endpoint, tools: [] }) }]);
    expect(await driftsOf(check)).toEqual([null, null, null, null, [[], ["other"]]]);
  });

  it("stands in the feed, raises the alert that asks for it, and leaves the rest of the detail as it is", async () => {
    const check = await newCheck();
    await test.newRule(check, { conditions: [{ type: "mcp_schema_drift", changeTypes: ["added"] }] });
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    await test.deliver(check, [{ slotMs: slot(), mcp: V2, detail: { mcpJson: { toolCount: 2 } } }]);
    const { body } = await test.call("GET", `/api/events?checkId=${check.id}&type=check.mcp_schema_drift`);
    expect(body.events).toMatchObject([
      {
        attributes: { "synthetics.mcp.drift.added_tools": ["added"], "synthetics.mcp.drift.total_count": 1 },
      },
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "active", severity: "warning" }]);
    const { body: page } = await test.call("GET", `/api/checks/${check.id}/results?detail=true&limit=1`);
    expect(page.results[0].mcpJson).toEqual({ toolCount: 2 });
  });

  it("of a check that was deleted meanwhile is not looked for", async () => {
    const check = await newCheck();
    await test.deliver(check, [{ slotMs: slot(), mcp: V1 }]);
    await test.call("DELETE", `/api/checks/${check.id}`);
    await test.deliver(check, [{ slotMs: slot(), mcp: V2 }]);
    expect(await test.services.knex("mcpBaselines").where({ checkKey: check.key })).toMatchObject([
      { surface: { tools: [{ name: "echo" }] } },
    ]);
  });
});
