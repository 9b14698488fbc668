/** The position of an export: no record is passed over, and none is exported twice without need. */
import { expect, it } from "vitest";
import { setUpExportTest } from "../../../test-support/export-test.ts";
import { purgeQueuedResults } from "./export-store.ts";
import { exportClaimed } from "./exporter.ts";
import { ExportWorker } from "./worker.ts";

const test = setUpExportTest();

it("a transaction that commits late is not passed over by ones that began after it", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  const late = await test.database.knex.transaction();
  await test.stage.store([{ check }], late);
  await test.stage.store([{ check }, { check }]);
  for (let looks = 0; looks < 3; looks++) await test.stage.exportOnce();
  expect(test.receiver.logs).toHaveLength(0);
  await late.commit();
  await test.exportUntil(() => test.receiver.logs.length === 3);
  expect(new Set(test.runIds()).size).toBe(3);
});

it("an exporter that ends after the endpoint's yes sends one request again, and nothing is lost", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  for (let nth = 0; nth < 3; nth++) await test.stage.store(Array.from({ length: 900 }, () => ({ check })));
  await test.exportUntil(
    async () => (await test.statusOf())?.lagSeconds !== undefined && test.receiver.requests.length > 0,
  );
  await test.exportUntil(() => test.receiver.logs.length === 2_700);
  // Again, and this time the connection to the database is lost with the answer to the second request.
  for (let nth = 0; nth < 3; nth++) await test.stage.store(Array.from({ length: 900 }, () => ({ check })));
  const before = test.receiver.requests.length;
  const dying = { ...test.stage.tools, knex: dyingAfter(() => test.receiver.requests.length >= before + 2) };
  const never = new AbortController().signal;
  // A look exports what no open transaction of another test holds back, so one look may see a part only.
  const messages: string[] = [];
  while (messages.length === 0) {
    for (const claimed of await test.stage.claim())
      await exportClaimed(dying, claimed, { stopping: never, cutting: never }).catch((error: Error) =>
        messages.push(error.message),
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(messages).toEqual(["gone"]);
  await test.database.knex("telemetryExports").update({ leaseUntil: null });
  await test.exportUntil(
    async () => (await test.statusOf())?.lagSeconds === 0 && (await test.stage.exportOnce()) === 0,
  );
  const counts = new Map<unknown, number>();
  for (const id of test.runIds()) counts.set(id, (counts.get(id) ?? 0) + 1);
  expect(counts.size).toBe(5_400);
  const repeated = [...counts.values()].filter((count) => count === 2).length;
  expect(repeated).toBeGreaterThan(0);
  expect(repeated).toBeLessThanOrEqual(1_000);
  expect([...counts.values()].every((count) => count <= 2)).toBe(true);
});

/** The database, until that holds; then every statement fails. */
function dyingAfter(isDead: () => boolean): typeof test.database.knex {
  return new Proxy(test.database.knex, {
    get(target, name) {
      if (name === "raw" && isDead()) return () => Promise.reject(new Error("gone"));
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

it("two replicas export each result once", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  for (let nth = 0; nth < 10; nth++) await test.stage.store(Array.from({ length: 400 }, () => ({ check })));
  const workers = [1, 2].map(() => new ExportWorker(test.stage.tools, 20));
  for (const worker of workers) worker.start();
  while (test.receiver.logs.length < 4_000) await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all(workers.map((worker) => worker.close()));
  expect(new Set(test.runIds()).size).toBe(4_000);
  expect(test.receiver.logs).toHaveLength(4_000);
});

it("a team without telemetry costs ingest no row; what happened while it was off is not exported later", async () => {
  const check = await test.stage.aCheck();
  await test.stage.store([{ check }]);
  expect(await test.database.knex("telemetryResults").where({ teamId: test.stage.team.id })).toEqual([]);
  await test.stage.set({ endpoint: test.receiver.url });
  await test.stage.store([{ check }]);
  await test.exportUntil(() => test.receiver.logs.length > 0);
  expect(test.receiver.logs).toHaveLength(1);
  await test.stage.set({ enabled: false });
  await test.stage.store([{ check }]);
  await test.stage.set({ enabled: true });
  await test.stage.store([{ check }]);
  await test.exportUntil(() => test.receiver.logs.length > 1);
  expect(await test.stage.exportOnce()).toBe(0);
  expect(test.receiver.logs).toHaveLength(2);
});

it("lists of results go once every signal has passed them", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url });
  await test.stage.store([{ check }]);
  const count = async () =>
    (await test.database.knex("telemetryResults").where({ teamId: test.stage.team.id })).length;
  await purgeQueuedResults(test.database.knex, new Date(0));
  expect(await count()).toBe(1);
  await test.exportUntil(() => test.receiver.logs.length === 1);
  await test.stage.store([{ check }]);
  await test.exportUntil(() => test.receiver.logs.length === 2);
  await purgeQueuedResults(test.database.knex, new Date(0));
  expect(await count()).toBeLessThanOrEqual(1);
});
