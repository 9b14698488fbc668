import { setMaxListeners } from "node:events";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aTeam, startTestFleet, type TestFleet, testServices } from "../../test-support/fleet.ts";

let database: TestDatabase;
let fleet: TestFleet;
beforeAll(async () => {
  database = await createTestDatabase();
  fleet = await startTestFleet(testServices(database.knex));
});
afterAll(async () => {
  await fleet?.close();
  await database?.drop();
});

test("uploads that say nothing are bounded for a team, and keep no other team's out", async () => {
  const [team, other] = [await aTeam(database.knex), await aTeam(database.knex)];
  const client = createClient(RunnerService, createGrpcTransport({ baseUrl: fleet.url }));
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  /** Begins an upload that never sends its header. Resolves with its error. */
  const upload = (secret: string) =>
    client
      .putArtifact(silence(ended.signal), {
        headers: { authorization: `Bearer ${secret}` },
        signal: ended.signal,
      })
      .then(
        () => undefined,
        (error) => ConnectError.from(error),
      );
  const uploads = Array.from({ length: 70 }, () => upload(team.runnerSecret));
  const first = await Promise.race(uploads);
  expect(first?.code).toBe(Code.Unavailable);
  expect(first?.rawMessage).toMatch(/64 uploads and documents are under way/);
  const refused = upload(other.runnerSecret).then(() => "ended");
  expect(await Promise.race([refused, new Promise((resolve) => setTimeout(resolve, 500, "open"))])).toBe(
    "open",
  );
  ended.abort();
  await Promise.all(uploads);
});

async function* silence(signal: AbortSignal) {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
}
