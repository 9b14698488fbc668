import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeMetrics } from "./metrics.ts";
import { type HealthServer, startHealthServer } from "./server.ts";

describe("the health port", () => {
  let server: HealthServer;
  let reasons: string[] = [];
  const metrics = makeMetrics(undefined, {
    runsInFlight: () => 3,
    runsWaiting: () => 0,
    assignedChecks: () => 12,
    backlogResults: () => 4,
    spoolBytes: () => 4096,
    artifactBytes: () => 0,
    isConnected: () => true,
    loopBusyShare: () => 0.25,
    clockOffsetMs: () => -90_000,
  });
  const parts = { host: "127.0.0.1", port: 0, reasons: () => reasons, registry: metrics.registry };
  const get = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    return { status: response.status, body: await response.text() };
  };

  beforeEach(async () => {
    reasons = [];
    server = await startHealthServer(parts);
  });
  afterEach(() => server.close());

  it("says that the process lives, whatever its state", async () => {
    reasons = ["no session"];
    expect(await get("/healthz")).toEqual({ status: 200, body: '{"status":"ok"}' });
  });

  it("answers ready when there is no reason against it, else 503 with the reasons", async () => {
    expect(await get("/readyz")).toEqual({ status: 200, body: '{"status":"ready"}' });
    reasons = ["no session", "the disk is full"];
    expect(await get("/readyz?verbose")).toEqual({
      status: 503,
      body: '{"status":"not ready","reasons":["no session","the disk is full"]}',
    });
  });

  it("counts in Prometheus' format", async () => {
    metrics.runEnded("success");
    metrics.runEnded("success");
    metrics.runEnded("timeout");
    metrics.runGivenBack("capacity");
    metrics.runStarted(1.5);
    metrics.resultsDropped(7);
    const { body } = await get("/metrics");
    for (const line of [
      'svc_runner_runs_total{status="success"} 2',
      'svc_runner_runs_total{status="timeout"} 1',
      'svc_runner_slots_given_back_total{reason="capacity"} 1',
      'svc_runner_lateness_seconds_bucket{le="0.002"} 1',
      "svc_runner_results_dropped_total 7",
      "svc_runner_runs_in_flight 3",
      "svc_runner_backlog_results 4",
      "svc_runner_spool_bytes 4096",
      "svc_runner_connected 1",
      "svc_runner_loop_busy_ratio 0.25",
      "svc_runner_clock_offset_seconds -90",
    ]) {
      expect(body.split("\n")).toContain(line);
    }
  });

  it("knows no other page", async () => {
    expect((await get("/")).status).toBe(404);
  });

  it("that is in use is reported in one line that names the setting", async () => {
    const port = Number(new URL(server.url).port);
    await expect(startHealthServer({ ...parts, port })).rejects.toThrow(
      /^the health port 127\.0\.0\.1:\d+ can't be opened \(EADDRINUSE\); see SVC_RUNNER_HEALTH_PORT$/,
    );
  });
});
