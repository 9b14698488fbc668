import type { DesiredAlert, DesiredMonitor } from "@svc/as-code/config";
import type { Plan, Remote } from "@svc/as-code/plan";
import type { ApiClient, Check, Condition } from "@svc/contract";
import { expect, it } from "vitest";
import { applyPlan } from "./apply-plan.ts";

const certificate: Condition = { type: "ssl_certificate_changed", severity: "critical" };
const failures: Condition = { type: "consecutive_failures", count: 2 };

/** Returns the calls of a deploy that gives a check this URL and its one rule these conditions, in their order. */
async function callsOf(url: string, [before, after]: [Condition, Condition]): Promise<string[]> {
  const calls: string[] = [];
  const api = {
    updateCheck: async () => void calls.push("check"),
    updateAlertRule: async () => void calls.push("rule"),
  } as unknown as ApiClient;
  const monitor = {
    name: "home",
    type: "http",
    config: { url, followRedirects: false },
  } as unknown as DesiredMonitor;
  const alert: DesiredAlert = {
    name: null,
    enabled: true,
    conditions: [after],
    channels: [],
    confirm: false,
    recovery: { consecutiveSuccesses: 1 },
  };
  const step = { type: "update" as const, fieldChanges: [] };
  const plan: Plan = {
    project: "shop",
    prunable: [],
    leftAlone: [],
    locationNotices: [],
    isPruning: false,
    changes: [
      {
        ...step,
        kind: "check",
        name: "home",
        remoteId: "chk_1",
        checkType: "http",
        desired: monitor,
        sendsCheck: true,
        sendsDependencies: false,
        dropsDependencies: false,
        sendsLabels: false,
      },
      { ...step, kind: "alert", name: "home / 1", remoteId: "alert_1", desired: alert, monitor: "home" },
    ],
  };
  const remote = {
    channels: [],
    checks: [{ id: "chk_1", name: "home" } as Check],
    patterns: [],
    rotas: [],
    incidentPolicy: null,
    alerts: [{ id: "alert_1", checkId: "chk_1", conditions: [before] }],
  } as unknown as Remote;
  const tools = { api, remote, signal: new AbortController().signal, onProgress: () => {} };
  expect((await applyPlan(plan, new Set(), tools)).failed).toEqual([]);
  return calls;
}

it("a rule that could never fire for the check as it will be is changed before the check", async () => {
  expect(await callsOf("http://shop.example.com/", [certificate, failures])).toEqual(["rule", "check"]);
});

it("a rule that needs the check as it will be is changed after it", async () => {
  expect(await callsOf("https://shop.example.com/", [failures, certificate])).toEqual(["check", "rule"]);
});
