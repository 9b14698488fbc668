/** Sends test runs to the sessions of the runners that shall run them. */
import { create } from "@bufbuild/protobuf";
import { TestRunSchema, TrafficLimitsSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { documentFor } from "../../fleet/check-documents.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import type { Services } from "../../platform/services.ts";
import type { Session } from "../session.ts";
import { findRunner } from "./find-runner.ts";
import {
  changeTestRun,
  checkKeyOf,
  claimTestRun,
  loadTestRunDocument,
  readUnsentTestRuns,
  type TestRunLimits,
  type UnsentTestRun,
} from "./store.ts";

/** The fleet's state, and this replica's sessions. */
export interface SendTestRunsParts {
  services: Services;
  state: FleetState;
  /** Returns the runner's session that takes work; undefined when this replica has none. */
  sessionOf: (runnerKey: number) => Session | undefined;
}

/** Sends this replica's sessions the test runs that no runner has got, each at most once. */
export async function sendTestRuns(parts: SendTestRunsParts): Promise<void> {
  const { services, state, sessionOf } = parts;
  for (const run of await readUnsentTestRuns(services.knex, services.clock.nowMs())) {
    const found = findRunner(state, {
      ...run,
      isLimited: run.limits !== null,
      checkKey: checkKeyOf(run.key),
    });
    const session = "runnerKey" in found ? sessionOf(found.runnerKey) : undefined;
    if (session) await sendTestRun(services, session, run);
  }
}

async function sendTestRun(services: Services, session: Session, run: UnsentTestRun): Promise<void> {
  const { key, locationKey } = run;
  const { runnerKey, sealer } = session.parts;
  if (!(await claimTestRun(services.knex, { key, locationKey, runnerKey }))) return;
  const document = await loadTestRunDocument(services, key).catch((error: unknown) => {
    services.log.error(
      { err: error, testRunKey: key },
      "the test run is not run, as its secrets can't be opened",
    );
    return undefined;
  });
  const check = document && documentFor(document, sealer);
  if (!document) return;
  if (!check) {
    const problem = "The runner could not open the team's secrets.";
    await changeTestRun(services.knex, {
      id: document.check.checkId,
      locationKey,
      runnerKey,
      phase: "failed",
      problem,
    });
    return;
  }
  const message = {
    testRunId: check.checkId,
    check,
    locationKey,
    beginByMs: BigInt(run.beginByMs),
    ...(run.limits && { limits: create(TrafficLimitsSchema, limitsToProto(run.limits)) }),
  };
  session.send({ case: "testRun", value: create(TestRunSchema, message) });
}

function limitsToProto({ origins, readOrigins, allowsWrites }: TestRunLimits) {
  return { origins, readOrigins: readOrigins ?? [], readsAnywhere: readOrigins === null, allowsWrites };
}
