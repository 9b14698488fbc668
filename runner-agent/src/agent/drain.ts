/** Ends an agent's work in order, each step within its time. */
import type { Logger } from "pino";
import type { ArtifactSender } from "../artifacts/artifact-sender.ts";
import type { setTimer } from "../base/timer.ts";
import type { GiveBackQueue } from "../session/give-back-queue.ts";
import type { Session } from "../session/session.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { Spool } from "../spool/spool.ts";
import type { ReportQueue } from "../test-runs/report-queue.ts";

/** The parts of the agent that are ended. */
export interface DrainParts {
  slots: SlotRunner;
  spool: Spool;
  session: Session;
  giveBacks: Pick<GiveBackQueue, "isEmpty">;
  testRunReports: ReportQueue;
  artifacts: Pick<ArtifactSender, "idle" | "close">;
  abortRuns: AbortController;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
  setTimer: typeof setTimer;
}

/**
 * Time for others to take the check locations over: the control plane hears of the draining within a second, and withdraws
 * them 2 s after it has assigned them to others.
 */
const HANDOVER_MS = 6000;
/** Time for the open runs to end by themselves. */
const RUNS_MS = 10_000;
/** Time for aborted runs to be given back. */
const ABORTED_RUNS_MS = 1000;
/** Time for spooled results, slots given back and reports about test runs to be acknowledged, and then for files to be uploaded. */
const DELIVERY_MS = 5000;
/** Time between two looks at what is waited for. */
const LOOK_MS = 20;

/**
 * Says that it drains and runs slots on until others own them, so that none is late. Then begins no further run, waits for the
 * open ones (and aborts the rest, which gives their slots back), delivers results and files while there is a session, and says
 * goodbye. Without a session nobody could take over, so that no slot is begun any more: others run them when the lease is over.
 */
export async function drain(parts: DrainParts): Promise<void> {
  const { slots, spool, session, giveBacks, testRunReports, artifacts, abortRuns } = parts;
  session.heartbeat();
  await waitWhile(parts, HANDOVER_MS, () => session.isConnected && slots.assignedChecks > 0);
  slots.stop();
  await within(parts, RUNS_MS, slots.idle());
  abortRuns.abort();
  await within(parts, ABORTED_RUNS_MS, slots.idle());
  await spool.flush();
  session.sendResults();
  const isDelivered = () => spool.stats().results === 0 && giveBacks.isEmpty && testRunReports.isEmpty;
  await waitWhile(parts, DELIVERY_MS, () => session.isConnected && !isDelivered());
  if (session.isConnected) await within(parts, DELIVERY_MS, artifacts.idle());
  artifacts.close();
  testRunReports.close();
  await session.close();
}

/** Logs that the agent has stopped; as a warning, and how to send them, when results are left in its data folder. */
export function logStopped(log: Logger, resultsLeftInSpool: number, folder: string): void {
  const line = { resultsLeftInSpool };
  if (resultsLeftInSpool === 0) {
    log.info(line, "stopped");
    return;
  }
  log.warn(
    line,
    `stopped; ${resultsLeftInSpool} results that could not be delivered are kept in ${folder}: start an agent with this folder to send them`,
  );
}

/** Waits while the condition holds, no longer than `limitMs`. */
async function waitWhile(
  { monotonicMs, setTimer }: Pick<DrainParts, "monotonicMs" | "setTimer">,
  limitMs: number,
  isWaiting: () => boolean,
): Promise<void> {
  const deadlineMs = monotonicMs() + limitMs;
  while (isWaiting() && monotonicMs() < deadlineMs)
    await new Promise<void>((resolve) => setTimer(resolve, LOOK_MS));
}

/** Waits for `work`, no longer than `limitMs`. */
async function within(
  { setTimer }: Pick<DrainParts, "setTimer">,
  limitMs: number,
  work: Promise<void>,
): Promise<void> {
  let cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    cancel = setTimer(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  cancel();
}
