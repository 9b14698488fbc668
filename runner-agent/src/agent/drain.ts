/** Ends an agent's work in order, each step within its time. */
import type { ArtifactSender } from "../artifacts/artifact-sender.ts";
import { setTimer } from "../base/timer.ts";
import type { Session } from "../session/session.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { Spool } from "../spool/spool.ts";
import type { ReportQueue } from "../test-runs/report-queue.ts";

/** The parts of the agent that are ended. */
export interface DrainParts {
  slots: SlotRunner;
  spool: Spool;
  session: Session;
  testRunReports: ReportQueue;
  artifacts: ArtifactSender;
  abortRuns: AbortController;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
}

/** Time for the open runs to end by themselves. */
const RUNS_MS = 10_000;
/** Time for aborted runs to be given back. */
const ABORTED_RUNS_MS = 1000;
/** Time for spooled results and reports about test runs to be acknowledged, and then for files to be uploaded. */
const DELIVERY_MS = 5000;
/** Time between two looks at the spool. */
const DELIVERY_LOOK_MS = 20;

/**
 * Begins no further run, waits for the open ones (and aborts the rest, which gives their slots back), delivers results and
 * files while there is a session, and says goodbye.
 */
export async function drain(parts: DrainParts): Promise<void> {
  const { slots, spool, session, testRunReports, artifacts, abortRuns, monotonicMs } = parts;
  slots.stop();
  session.heartbeat();
  await within(RUNS_MS, slots.idle());
  abortRuns.abort();
  await within(ABORTED_RUNS_MS, slots.idle());
  await spool.flush();
  session.sendResults();
  const deadlineMs = monotonicMs() + DELIVERY_MS;
  const isDelivered = () => spool.stats().results === 0 && testRunReports.isEmpty;
  while (session.isConnected && !isDelivered() && monotonicMs() < deadlineMs) {
    await new Promise<void>((resolve) => setTimer(resolve, DELIVERY_LOOK_MS));
  }
  if (session.isConnected) await within(DELIVERY_MS, artifacts.idle());
  artifacts.close();
  testRunReports.close();
  await session.close();
}

/** Waits for `work`, no longer than `limitMs`. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    cancel = setTimer(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  cancel();
}
