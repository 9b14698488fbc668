/** Every method of the runners' port asked with every credential, compared with the table of docs/access.md. */
import http2 from "node:http2";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { credentialMakers } from "../../test-support/access-credentials.ts";
import { accessTable } from "../../test-support/access-table.ts";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { startTestFleet, type TestFleet } from "../../test-support/fleet.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { systemClock } from "../platform/clock.ts";
import { parseConfig } from "../platform/config.ts";

const UNAUTHENTICATED = 16;
const rows = accessTable("access-runner-services");

let test: TestApp;
let fleet: TestFleet;
let makers: ReturnType<typeof credentialMakers>;
beforeAll(async () => {
  test = await createTestApp();
  await seedHostedLocations(test.services.knex);
  const config = parseConfig({ SVC_RUNNER_PORT: "0" });
  fleet = await startTestFleet({ ...test.services, config, clock: systemClock });
  makers = credentialMakers(test, { own: test.team, foreign: await test.createTeam() });
});
afterAll(async () => {
  await fleet?.close();
  await test?.close();
});

/** Sends a request without messages and returns the gRPC status that it ends with. */
async function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  const connection = http2.connect(fleet.url);
  const stream = connection.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  try {
    return await new Promise((resolve, reject) => {
      const look = (answered: http2.IncomingHttpHeaders) => {
        if (answered["grpc-status"] !== undefined) resolve(Number(answered["grpc-status"]));
      };
      stream.on("response", look).on("trailers", look).on("error", reject);
      stream.on("close", () => reject(new Error("the stream closed without a gRPC status")));
      stream.resume().end();
    });
  } finally {
    connection.destroy();
  }
}

it("the table has a row for each method of the runners' service", () => {
  const methods = RunnerService.methods.map(({ name }) => `${RunnerService.typeName}/${name}`);
  expect(rows.map(({ name }) => name)).toEqual([...methods, "grpc.health.v1.Health/Check"]);
  for (const row of rows) expect(Object.keys(row.answers)).toEqual(Object.keys(makers));
});

it.each(rows)("$name", async ({ name, answers }) => {
  for (const [credential, make] of Object.entries(makers)) {
    const status = await statusOf(`/${name}`, await make());
    const word = status === UNAUTHENTICATED ? "401" : "yes";
    expect(`${credential}: ${word}`).toBe(`${credential}: ${answers[credential]}`);
  }
});
