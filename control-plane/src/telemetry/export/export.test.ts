import { rootSpanIdOf } from "@svc/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { setUpExportTest } from "../../../test-support/export-test.ts";
import { startOtlpGrpc, startOtlpHttp } from "../../../test-support/otlp/receiver.ts";
import { setTelemetryStage } from "../../../test-support/telemetry.ts";
import { findSettings } from "../settings-store.ts";
import { ExportWorker } from "./worker.ts";

const test = setUpExportTest();

describe.each(["http/protobuf", "http/json", "grpc"] as const)("over %s", (protocol) => {
  it("a result arrives with its event name, resource, attributes and trace", async () => {
    if (protocol === "grpc") test.receiver = await startOtlpGrpc();
    const check = await test.stage.aCheck();
    await test.database.knex("checkLabels").insert([
      { checkKey: check.key, label: "team:shop" },
      { checkKey: check.key, label: "critical" },
    ]);
    await test.stage.set({ endpoint: test.receiver.url, protocol, headers: { "X-Token": "secret" } });
    const traceId = "0123456789abcdef0123456789abcdef";
    await test.stage.store([
      { check, status: 3, traceId, detail: { errorCategory: "connect", errorMessage: "connection refused" } },
    ]);
    await test.exportUntil(() => test.receiver.logs.length >= 2);
    const [completed, failed] = test.receiver.logs;
    expect([completed?.name, failed?.name]).toEqual([
      "synthetics.check.completed",
      "synthetics.check.failed",
    ]);
    expect(failed).toMatchObject({ severity: "ERROR", traceId, spanId: rootSpanIdOf(traceId) });
    expect(failed?.resource).toEqual({
      "service.name": "synthetics",
      "synthetics.check.id": check.id,
      "synthetics.check.name": "check",
      "synthetics.check.type": "http",
      "url.full": "http://127.0.0.1:1/",
      "svc.label.team": "shop",
      "svc.label.critical": "true",
    });
    expect(failed?.attributes).toMatchObject({
      "synthetics.location.id": test.stage.team.locationId,
      "synthetics.check.status": "error",
      "synthetics.response_time_ms": 100,
      "http.response.status_code": 200,
      "error.type": "connect",
      "error.message": "connection refused",
    });
    expect(failed?.attributes["synthetics.run.id"]).toMatch(/^run_/);
    const [request] = test.receiver.requests;
    // grpc-js takes the header away with the compression.
    expect(request).toMatchObject({ via: protocol, encoding: protocol === "grpc" ? undefined : "gzip" });
    expect(request?.headers["x-token"]).toBe("secret");
  });

  it("what the endpoint rejects of a request is counted and not sent again", async () => {
    if (protocol === "grpc") test.receiver = await startOtlpGrpc();
    const check = await test.stage.aCheck();
    test.receiver.answer = () => ({ rejected: 1, message: "too old" });
    await test.stage.set({ endpoint: test.receiver.url, protocol });
    await test.stage.store([{ check }, { check }, { check }]);
    await test.exportUntil(async () => (await test.statusOf())?.rejectedRecords === 1);
    expect(await test.statusOf()).toMatchObject({ exportedRecords: 2, lagSeconds: 0, state: "exporting" });
    expect((await test.statusOf())?.lastError).toContain("too old");
    expect(await test.stage.exportOnce()).toBe(0);
  });

  it("what the endpoint can't take now is kept, and sent when it asked for", async () => {
    if (protocol === "grpc") test.receiver = await startOtlpGrpc();
    const check = await test.stage.aCheck();
    test.receiver.answer = () =>
      protocol === "grpc"
        ? { grpcStatus: 14, message: "overloaded", retryAfterMs: 90_000 }
        : { status: 503, headers: { "retry-after": "90" }, body: "overloaded" };
    await test.stage.set({ endpoint: test.receiver.url, protocol });
    await test.stage.store([{ check }]);
    await test.exportUntil(async () => (await test.statusOf())?.state === "failing");
    const status = await test.statusOf();
    expect(status?.lastError).toContain("overloaded");
    const waitMs = Date.parse(status?.nextAttemptAt ?? "") - Date.parse(status?.lastErrorAt ?? "");
    expect(waitMs).toBe(90_000);
    expect(await test.stage.exportOnce()).toBe(0);
    test.receiver.answer = () => "ok";
    await test.endWaiting();
    await test.exportUntil(() => test.receiver.logs.length === 1);
    expect(await test.statusOf()).toMatchObject({
      state: "exporting",
      exportedRecords: 1,
      nextAttemptAt: null,
    });
  });
});

it.each([
  ["hangs", () => "hang" as const],
  ["answers 429", () => ({ status: 429 })],
  ["answers 401", () => ({ status: 401 })],
  ["redirects", () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } })],
])("an endpoint that %s loses nothing", async (_, answer) => {
  const check = await test.stage.aCheck();
  test.receiver.answer = answer;
  const { attemptTimeoutMs } = test.stage.tools;
  test.stage.tools.attemptTimeoutMs = 1_000;
  await test.stage.set({ endpoint: test.receiver.url });
  await test.stage.store([{ check }]);
  await test.exportUntil(async () => (await test.statusOf())?.state === "failing");
  test.stage.tools.attemptTimeoutMs = attemptTimeoutMs;
  test.receiver.answer = () => "ok";
  await test.endWaiting();
  await test.exportUntil(() => test.receiver.logs.length === 1);
  expect(await test.statusOf()).toMatchObject({ droppedRecords: 0, exportedRecords: 1 });
});

it("an endpoint that hangs holds up no other team", async () => {
  const other = await setTelemetryStage(test.database.knex);
  const hanging = await startOtlpHttp();
  onTestFinished(() => hanging.close());
  hanging.answer = () => "hang";
  await test.stage.set({ endpoint: hanging.url });
  await other.set({ endpoint: test.receiver.url });
  await test.stage.store([{ check: await test.stage.aCheck() }]);
  await other.store([{ check: await other.aCheck() }]);
  const worker = new ExportWorker({ ...test.stage.tools, attemptTimeoutMs: 60_000 }, 20);
  worker.start();
  while (hanging.requests.length === 0 || test.receiver.logs.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(hanging.requests).toHaveLength(1);
  await worker.close();
});

it("a malformed record is cornered and given up; what stands around it arrives", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  await test.stage.store(
    Array.from({ length: 200 }, (_, nth) =>
      nth === 120 ? { check, status: 3, detail: { errorMessage: "poison" } } : { check },
    ),
  );
  test.receiver.answer = ({ body }) =>
    JSON.stringify(body).includes("poison") ? { status: 400, body: "bad record" } : "ok";
  await test.exportUntil(
    async () =>
      ((await test.statusOf())?.droppedRecords ?? 0) > 0 && (await test.statusOf())?.lagSeconds === 0,
  );
  const status = await test.statusOf();
  expect(status?.droppedRecords).toBeLessThanOrEqual(17);
  expect(test.receiver.logs.length).toBe(201 - (status?.droppedRecords ?? 0));
  expect(status?.lastError).toContain("bad record");
});

it("an endpoint that refuses everything costs a little, not all there is", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  await test.stage.store(Array.from({ length: 2_000 }, () => ({ check })));
  test.receiver.answer = () => ({ status: 400 });
  await test.exportUntil(async () => (await test.statusOf())?.nextAttemptAt != null);
  expect((await test.statusOf())?.droppedRecords).toBeLessThanOrEqual(4 * 16);
});

it("header values are sealed in the database", async () => {
  await test.stage.set({ endpoint: test.receiver.url, headers: { Authorization: "Bearer of-great-value" } });
  const row = await findSettings(test.database.knex, test.stage.team.id);
  expect(row?.headers?.includes("of-great-value")).toBe(false);
});
