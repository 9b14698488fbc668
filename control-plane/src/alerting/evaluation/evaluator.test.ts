import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { anMcpCheck } from "../../../test-support/builders.ts";
import { evaluateBetweenResults } from "./evaluate-between-results.ts";

let test: AlertTest;
let startMs: number;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
});
afterAll(() => test.close());

const at = (n: number) => startMs + n * 60_000;

const onFailure = [{ type: "consecutive_failures", count: 1 }];

describe("certificates", () => {
  const expiring = (days: number) => ({ validTo: new Date(startMs + days * 86_400_000).toISOString() });

  it("an expiry escalates in its last days, and is over with a new certificate", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "ssl_expiry", severity: "warning" }] });
    await test.deliver(check, [{ slotMs: at(1), tls: expiring(10) }]);
    expect(await test.instances(check)).toMatchObject([{ severity: "warning", state: "active" }]);
    await test.deliver(check, [{ slotMs: at(2), tls: expiring(2) }]);
    const [instance] = await test.instances(check);
    expect(instance).toMatchObject({ severity: "critical", state: "active" });
    await test.deliver(check, [{ slotMs: at(3), tls: expiring(90) }]);
    expect(await test.notifications(check)).toEqual(["triggered", "escalated", "recovered"]);
  });

  it("a rule that is younger than the last report of the certificate is judged by that report", async () => {
    const check = await test.newCheck();
    await test.deliver(check, [{ slotMs: at(1), tls: expiring(5) }]);
    await test.newRule(check, { conditions: [{ type: "ssl_expiry" }] });
    await test.deliver(check, [{ slotMs: at(2) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  });

  it("a new fingerprint fires once and is over with the next run", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "ssl_certificate_changed", severity: "info" }] });
    await test.deliver(check, [{ slotMs: at(1), tls: { fingerprintSha256: "A" } }]);
    await test.deliver(check, [{ slotMs: at(2), tls: { fingerprintSha256: "B" } }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active", severity: "info" }]);
    await test.deliver(check, [{ slotMs: at(3) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });
});

it("a change of an MCP server fires by what the run reported", async () => {
  const check = await test.newCheck(anMcpCheck());
  await test.newRule(check, { conditions: [{ type: "mcp_schema_drift" }] });
  const mcpSchemaDrift = { added: ["search"], removed: [], modified: [], escalated: [], server: [] };
  await test.deliver(check, [{ slotMs: at(1), detail: { mcpSchemaDrift } }]);
  expect(await test.instances(check)).toMatchObject([
    { severity: "warning", context: { conditions: [{ observed: { added: ["search"] } }] } },
  ]);
});

it("all conditions must hold at once", async () => {
  const check = await test.newCheck();
  await test.newRule(check, { conditions: [...onFailure, { type: "response_time_threshold", maxMs: 100 }] });
  await test.deliver(check, [{ slotMs: at(1) }, { slotMs: at(2), status: "failure" }]);
  expect(await test.instances(check)).toEqual([]);
  await test.deliver(check, [{ slotMs: at(3), responseTimeMs: 500 }]);
  expect(await test.instances(check)).toEqual([]);
  await test.deliver(check, [{ slotMs: at(4), status: "failure" }]);
  expect(await test.instances(check)).toHaveLength(1);
});

describe("missed runs", () => {
  const look = () => evaluateBetweenResults(test.services.knex, test.evaluator);

  it("fire once slots have passed without a result, and end with a result", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    await test.newRule(check, { conditions: [{ type: "missed_runs", count: 2 }] });
    test.clock.advance(60_000);
    await look();
    expect(await test.instances(check)).toEqual([]);
    test.clock.advance(180_000);
    await look();
    await look();
    expect(await test.instances(check)).toMatchObject([{ state: "active", triggeringResultId: null }]);
    const { body } = await test.call("GET", `/api/alerts/instances?checkId=${check.id}`);
    const missed = body.instances[0].contextJson.conditions[0].observed[0].missedSlots.map(Date.parse);
    expect(missed[0] - missed[1]).toBe(60_000);
    await test.deliver(check, [{ slotMs: missed[0] + 60_000, status: "failure" }]);
    test.clock.advance(60_000);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });
});
