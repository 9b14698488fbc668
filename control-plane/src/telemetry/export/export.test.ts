import { rootSpanIdOf } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import {
  attributesOf,
  type OtlpReceiver,
  startOtlpGrpc,
  startOtlpHttp,
} from "../../../test-support/otlp/receiver.ts";
import { setTelemetryStage, type TelemetryStage, tlsFacts } from "../../../test-support/telemetry.ts";
import { findSettings } from "../settings-store.ts";
import { purgeQueuedResults, readExportStatus } from "./export-store.ts";
import { exportClaimed } from "./exporter.ts";
import { ExportWorker } from "./worker.ts";

let database: TestDatabase;
let stage: TelemetryStage;
let receiver: OtlpReceiver;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  await database.knex("telemetrySettings").delete();
  stage = await setTelemetryStage(database.knex);
  receiver = await startOtlpHttp();
  return () => receiver.close();
});

/** Others write on this server, too: what they have under way holds the horizon for a moment. */
async function exportUntil(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) {
    await stage.exportOnce();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function statusOf(signal = "logs") {
  const all = await readExportStatus(database.knex, stage.team.id);
  return all.find((status) => status.signal === signal);
}

/** Lets an export that waits try now. */
async function endWaiting(): Promise<void> {
  await database.knex("telemetryExports").update({ retryAt: null });
}

const runIds = () => receiver.logs.map(({ attributes }) => attributes["synthetics.result.id"]);

describe.each(["http/protobuf", "http/json", "grpc"] as const)("over %s", (protocol) => {
  it("a result arrives with its event name, resource, attributes and trace", async () => {
    if (protocol === "grpc") receiver = await startOtlpGrpc();
    const check = await stage.aCheck();
    await database.knex("checkLabels").insert([
      { checkKey: check.key, label: "team:shop" },
      { checkKey: check.key, label: "critical" },
    ]);
    await stage.set({ endpoint: receiver.url, protocol, headers: { "X-Token": "secret" } });
    const traceId = "0123456789abcdef0123456789abcdef";
    await stage.store([
      { check, status: 3, traceId, detail: { errorCategory: "connect", errorMessage: "connection refused" } },
    ]);
    await exportUntil(() => receiver.logs.length >= 2);
    const [completed, failed] = receiver.logs;
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
      "synthetics.location.id": stage.team.locationId,
      "synthetics.check.status": "error",
      "synthetics.response_time_ms": 100,
      "http.response.status_code": 200,
      "error.type": "connect",
      "error.message": "connection refused",
    });
    expect(failed?.attributes["synthetics.run.id"]).toMatch(/^run_/);
    const [request] = receiver.requests;
    // grpc-js takes the header away with the compression.
    expect(request).toMatchObject({ via: protocol, encoding: protocol === "grpc" ? undefined : "gzip" });
    expect(request?.headers["x-token"]).toBe("secret");
  });

  it("what the endpoint rejects of a request is counted and not sent again", async () => {
    if (protocol === "grpc") receiver = await startOtlpGrpc();
    const check = await stage.aCheck();
    receiver.answer = () => ({ rejected: 1, message: "too old" });
    await stage.set({ endpoint: receiver.url, protocol });
    await stage.store([{ check }, { check }, { check }]);
    await exportUntil(async () => (await statusOf())?.rejectedRecords === 1);
    expect(await statusOf()).toMatchObject({ exportedRecords: 2, lagSeconds: 0, state: "exporting" });
    expect((await statusOf())?.lastError).toContain("too old");
    expect(await stage.exportOnce()).toBe(0);
  });

  it("what the endpoint can't take now is kept, and sent when it asked for", async () => {
    if (protocol === "grpc") receiver = await startOtlpGrpc();
    const check = await stage.aCheck();
    receiver.answer = () =>
      protocol === "grpc"
        ? { grpcStatus: 14, message: "overloaded", retryAfterMs: 90_000 }
        : { status: 503, headers: { "retry-after": "90" }, body: "overloaded" };
    await stage.set({ endpoint: receiver.url, protocol });
    await stage.store([{ check }]);
    await exportUntil(async () => (await statusOf())?.state === "failing");
    const status = await statusOf();
    expect(status?.lastError).toContain("overloaded");
    const waitMs = Date.parse(status?.nextAttemptAt ?? "") - Date.parse(status?.lastErrorAt ?? "");
    expect(waitMs).toBe(90_000);
    expect(await stage.exportOnce()).toBe(0);
    receiver.answer = () => "ok";
    await endWaiting();
    await exportUntil(() => receiver.logs.length === 1);
    expect(await statusOf()).toMatchObject({ state: "exporting", exportedRecords: 1, nextAttemptAt: null });
  });
});

it.each([
  ["hangs", () => "hang" as const],
  ["answers 429", () => ({ status: 429 })],
  ["answers 401", () => ({ status: 401 })],
  ["redirects", () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } })],
])("an endpoint that %s loses nothing", async (_, answer) => {
  const check = await stage.aCheck();
  receiver.answer = answer;
  const { attemptTimeoutMs } = stage.tools;
  stage.tools.attemptTimeoutMs = 1_000;
  await stage.set({ endpoint: receiver.url });
  await stage.store([{ check }]);
  await exportUntil(async () => (await statusOf())?.state === "failing");
  stage.tools.attemptTimeoutMs = attemptTimeoutMs;
  receiver.answer = () => "ok";
  await endWaiting();
  await exportUntil(() => receiver.logs.length === 1);
  expect(await statusOf()).toMatchObject({ droppedRecords: 0, exportedRecords: 1 });
});

it("a transaction that commits late is not passed over by ones that began after it", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  const late = await database.knex.transaction();
  await stage.store([{ check }], late);
  await stage.store([{ check }, { check }]);
  for (let looks = 0; looks < 3; looks++) await stage.exportOnce();
  expect(receiver.logs).toHaveLength(0);
  await late.commit();
  await exportUntil(() => receiver.logs.length === 3);
  expect(new Set(runIds()).size).toBe(3);
});

it("an exporter that ends after the endpoint's yes sends one request again, and nothing is lost", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  for (let nth = 0; nth < 3; nth++) await stage.store(Array.from({ length: 900 }, () => ({ check })));
  await exportUntil(async () => (await statusOf())?.lagSeconds !== undefined && receiver.requests.length > 0);
  await exportUntil(() => receiver.logs.length === 2_700);
  // Again, and this time the connection to the database is lost with the answer to the second request.
  for (let nth = 0; nth < 3; nth++) await stage.store(Array.from({ length: 900 }, () => ({ check })));
  const before = receiver.requests.length;
  const dying = { ...stage.tools, knex: dyingAfter(() => receiver.requests.length >= before + 2) };
  for (let begun = false; !begun; ) {
    for (const claimed of await stage.claim()) {
      begun = true;
      const never = new AbortController().signal;
      await expect(exportClaimed(dying, claimed, { stopping: never, cutting: never })).rejects.toThrow(
        "gone",
      );
    }
  }
  await database.knex("telemetryExports").update({ leaseUntil: null });
  await exportUntil(async () => (await statusOf())?.lagSeconds === 0 && (await stage.exportOnce()) === 0);
  const counts = new Map<unknown, number>();
  for (const id of runIds()) counts.set(id, (counts.get(id) ?? 0) + 1);
  expect(counts.size).toBe(5_400);
  const repeated = [...counts.values()].filter((count) => count === 2).length;
  expect(repeated).toBeGreaterThan(0);
  expect(repeated).toBeLessThanOrEqual(1_000);
  expect([...counts.values()].every((count) => count <= 2)).toBe(true);
});

/** The database, until that holds; then every statement fails. */
function dyingAfter(isDead: () => boolean): typeof database.knex {
  return new Proxy(database.knex, {
    get(target, name) {
      if (name === "raw" && isDead()) return () => Promise.reject(new Error("gone"));
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

it("two replicas export each result once", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  for (let nth = 0; nth < 10; nth++) await stage.store(Array.from({ length: 400 }, () => ({ check })));
  const workers = [1, 2].map(() => new ExportWorker(stage.tools, 20));
  for (const worker of workers) worker.start();
  while (receiver.logs.length < 4_000) await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all(workers.map((worker) => worker.close()));
  expect(new Set(runIds()).size).toBe(4_000);
  expect(receiver.logs).toHaveLength(4_000);
});

it("an endpoint that hangs holds up no other team", async () => {
  const other = await setTelemetryStage(database.knex);
  const hanging = await startOtlpHttp();
  onTestFinished(() => hanging.close());
  hanging.answer = () => "hang";
  await stage.set({ endpoint: hanging.url });
  await other.set({ endpoint: receiver.url });
  await stage.store([{ check: await stage.aCheck() }]);
  await other.store([{ check: await other.aCheck() }]);
  const worker = new ExportWorker({ ...stage.tools, attemptTimeoutMs: 60_000 }, 20);
  worker.start();
  while (hanging.requests.length === 0 || receiver.logs.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(hanging.requests).toHaveLength(1);
  await worker.close();
});

it("a malformed record is cornered and given up; what stands around it arrives", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  await stage.store(
    Array.from({ length: 200 }, (_, nth) =>
      nth === 120 ? { check, status: 3, detail: { errorMessage: "poison" } } : { check },
    ),
  );
  receiver.answer = ({ body }) =>
    JSON.stringify(body).includes("poison") ? { status: 400, body: "bad record" } : "ok";
  await exportUntil(
    async () => ((await statusOf())?.droppedRecords ?? 0) > 0 && (await statusOf())?.lagSeconds === 0,
  );
  const status = await statusOf();
  expect(status?.droppedRecords).toBeLessThanOrEqual(17);
  expect(receiver.logs.length).toBe(201 - (status?.droppedRecords ?? 0));
  expect(status?.lastError).toContain("bad record");
});

it("an endpoint that refuses everything costs a little, not all there is", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  await stage.store(Array.from({ length: 2_000 }, () => ({ check })));
  receiver.answer = () => ({ status: 400 });
  await exportUntil(async () => (await statusOf())?.nextAttemptAt != null);
  expect((await statusOf())?.droppedRecords).toBeLessThanOrEqual(4 * 16);
});

it("traces: a root span that the target knows, with a child per phase or step", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url, traces: true });
  const traceId = "fedcba98765432100123456789abcdef";
  const startedAt = new Date(Date.now() - 5_000).toISOString();
  const steps = [
    { name: "open", status: "success", durationMs: 100, startedAt },
    { name: "pay", status: "failure", durationMs: 50, startedAt, errorMessage: "no button" },
  ];
  await stage.store([
    { check, traceId },
    { check, status: 2, detail: { steps } },
  ]);
  await exportUntil(
    () => receiver.requests.some(({ signal }) => signal === "traces") && receiver.logs.length >= 5,
  );
  const spans = receiver.requests
    .filter(({ signal }) => signal === "traces")
    .flatMap(({ body }) => body.resourceSpans)
    .flatMap((of) => of.scopeSpans)
    .flatMap((scope) => scope.spans);
  const root = spans.find((span) => span.traceId === traceId && !span.parentSpanId);
  expect(root).toMatchObject({ name: "check", spanId: rootSpanIdOf(traceId), kind: "SPAN_KIND_CLIENT" });
  const phases = spans.filter((span) => span.parentSpanId === root.spanId);
  expect(phases.map(({ name }) => name)).toEqual([
    "DNS lookup",
    "TCP connect",
    "time to first byte",
    "content transfer",
  ]);
  expect(phases[1].startTimeUnixNano).toBe(phases[0].endTimeUnixNano);
  const pay = spans.find(({ name }) => name === "pay");
  expect(pay).toMatchObject({ status: { code: "STATUS_CODE_ERROR", message: "no button" } });
  expect(receiver.logs.map(({ name }) => name)).toContain("synthetics.step.completed");
});

it.each(["http/protobuf", "http/json"] as const)(
  "metrics over %s: durations are counted once each, successes and certificates are exported",
  async (protocol) => {
    const check = await stage.aCheck();
    const other = await stage.aCheck();
    await stage.set({ endpoint: receiver.url, metrics: true, protocol });
    const validTo = new Date(Date.now() + 20.5 * 86_400_000).toISOString();
    await stage.store([
      { check, tls: tlsFacts({ validTo }) },
      { check },
      { check, status: 2 },
      { check: other },
    ]);
    await exportUntil(() => receiver.requests.some(({ signal }) => signal === "metrics"));
    const resources = receiver.requests
      .filter(({ signal }) => signal === "metrics")
      .flatMap(({ body }) => body.resourceMetrics);
    const ids = resources.map((of) => attributesOf(of.resource.attributes)["synthetics.check.id"]);
    expect(new Set(ids)).toEqual(new Set([check.id, other.id]));
    const metrics = resources[ids.indexOf(check.id)].scopeMetrics.flatMap(
      (scope: { metrics: unknown[] }) => scope.metrics,
    );
    const named = (name: string) => metrics.find((metric: { name: string }) => metric.name === name);
    const duration = named("synthetics.check.duration");
    expect(duration.unit).toBe("s");
    expect(["AGGREGATION_TEMPORALITY_DELTA", 1]).toContain(duration.histogram.aggregationTemporality);
    const counts = duration.histogram.dataPoints.map((point: { count: string; attributes: never[] }) => [
      attributesOf(point.attributes)["synthetics.check.status"],
      Number(point.count),
    ]);
    expect(counts).toEqual([
      ["success", 2],
      ["failure", 1],
    ]);
    const success = named("synthetics.check.success");
    const values = success.gauge.dataPoints.map((point: { asInt: string }) => Number(point.asInt));
    expect(values.sort()).toEqual([0, 1, 1]);
    const [left] = named("synthetics.tls.certificate.days_left").gauge.dataPoints;
    expect(Number(left.asInt)).toBe(20);
    expect(attributesOf(left.attributes)["server.address"]).toBe("shop.example.com");
  },
);

it("a team without telemetry costs ingest no row; what happened while it was off is not exported later", async () => {
  const check = await stage.aCheck();
  await stage.store([{ check }]);
  expect(await database.knex("telemetryResults").where({ teamId: stage.team.id })).toEqual([]);
  await stage.set({ endpoint: receiver.url });
  await stage.store([{ check }]);
  await exportUntil(() => receiver.logs.length > 0);
  expect(receiver.logs).toHaveLength(1);
  await stage.set({ enabled: false });
  await stage.store([{ check }]);
  await stage.set({ enabled: true });
  await stage.store([{ check }]);
  await exportUntil(() => receiver.logs.length > 1);
  expect(await stage.exportOnce()).toBe(0);
  expect(receiver.logs).toHaveLength(2);
});

it("lists of results go once every signal has passed them", async () => {
  const check = await stage.aCheck();
  await stage.set({ endpoint: receiver.url });
  await stage.store([{ check }]);
  const count = async () => (await database.knex("telemetryResults").where({ teamId: stage.team.id })).length;
  await purgeQueuedResults(database.knex, new Date(0));
  expect(await count()).toBe(1);
  await exportUntil(() => receiver.logs.length === 1);
  await stage.store([{ check }]);
  await exportUntil(() => receiver.logs.length === 2);
  await purgeQueuedResults(database.knex, new Date(0));
  expect(await count()).toBeLessThanOrEqual(1);
});

it("header values are sealed in the database", async () => {
  await stage.set({ endpoint: receiver.url, headers: { Authorization: "Bearer of-great-value" } });
  const row = await findSettings(database.knex, stage.team.id);
  expect(row?.headers?.includes("of-great-value")).toBe(false);
});
