/** Tests of the OpenTelemetry export: a team with an endpoint that records what it receives. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { readExportStatus } from "../src/telemetry/export/export-store.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type OtlpReceiver, startOtlpHttp } from "./otlp/receiver.ts";
import { setTelemetryStage, type TelemetryStage } from "./telemetry.ts";

/** The database of a file's tests, and the team and the endpoint of each test. */
export class ExportTest {
  database!: TestDatabase;
  stage!: TelemetryStage;
  /** Over HTTP; a test may put another one in its position. Closed after the test. */
  receiver!: OtlpReceiver;

  /**
   * Exports until a condition holds. Others write on this server, too: what they have under way holds the horizon for a
   * moment.
   */
  async exportUntil(done: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await done())) {
      await this.stage.exportOnce();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async statusOf(signal = "logs") {
    const all = await readExportStatus(this.database.knex, this.stage.team.id);
    return all.find((status) => status.signal === signal);
  }

  /** Lets an export that waits try now. */
  async endWaiting(): Promise<void> {
    await this.database.knex("telemetryExports").update({ retryAt: null });
  }

  /** Ids of the results that arrived, in order, repeated ones too. */
  runIds(): unknown[] {
    return this.receiver.logs.map(({ attributes }) => attributes["synthetics.result.id"]);
  }
}

/** Sets an export test up for the tests of the calling file. */
export function setUpExportTest(): ExportTest {
  const test = new ExportTest();
  beforeAll(async () => {
    test.database = await createTestDatabase();
  });
  afterAll(() => test.database?.drop());
  beforeEach(async () => {
    await test.database.knex("telemetrySettings").delete();
    test.stage = await setTelemetryStage(test.database.knex);
    const overHttp = await startOtlpHttp();
    test.receiver = overHttp;
    return async () => {
      await overHttp.close();
      if (test.receiver !== overHttp) await test.receiver.close();
    };
  });
  return test;
}
