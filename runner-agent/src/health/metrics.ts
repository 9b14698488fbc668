/** The agent's metrics for Prometheus. */
import { cpuUsage, memoryUsage } from "node:process";
import type { ResultStatus } from "@svc/contract";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Sources of the gauges, read at each scrape. */
export interface GaugeSources {
  runsInFlight: () => number;
  runsWaiting: () => number;
  assignedChecks: () => number;
  backlogResults: () => number;
  spoolBytes: () => number;
  artifactBytes: () => number;
  isConnected: () => boolean;
  loopBusyShare: () => number;
  clockOffsetMs: () => number;
}

/** The registry, and a function for each event that is counted. */
export interface Metrics {
  registry: Registry;
  runEnded: (status: ResultStatus) => void;
  runGivenBack: (reason: string) => void;
  runStarted: (latenessMs: number) => void;
  resultsDropped: (count: number) => void;
  resultRejected: () => void;
  sessionEnded: () => void;
  loopHeld: (heldMs: number) => void;
}

const LATENESS_BUCKETS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5, 30];

/**
 * Makes a registry with all metrics of an agent.
 * @param process number of one of several processes, which becomes a label of each metric; undefined: it is the only one
 */
export function makeMetrics(process: number | undefined, sources: GaugeSources): Metrics {
  const registry = new Registry();
  if (process !== undefined) registry.setDefaultLabels({ process: String(process) });
  const registers = [registry];
  // Counted here and handed over at a scrape: the library's own counting costs a hundredth of a run.
  const runsByStatus = new Map<ResultStatus, number>();
  new Counter({
    name: "svc_runner_runs_total",
    help: "Runs that ended with a result, by status.",
    labelNames: ["status"],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of runsByStatus) this.inc({ status }, count);
    },
  });
  const givenBack = new Counter({
    name: "svc_runner_slots_given_back_total",
    help: "Slots given back because of this runner, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const lateness = new Histogram({
    name: "svc_runner_lateness_seconds",
    help: "Start of a run minus the instant it was due.",
    buckets: LATENESS_BUCKETS_SECONDS,
    registers,
  });
  const dropped = new Counter({
    name: "svc_runner_results_dropped_total",
    help: "Results dropped because the spool was full.",
    registers,
  });
  const rejected = new Counter({
    name: "svc_runner_results_rejected_total",
    help: "Results that the control plane refused for good.",
    registers,
  });
  const reconnects = new Counter({
    name: "svc_runner_sessions_ended_total",
    help: "Sessions with the control plane that ended or could not be had.",
    registers,
  });
  const loopHeld = new Histogram({
    name: "svc_runner_event_loop_held_seconds",
    help: "Times longer than 50 ms during which the event loop was held.",
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge("svc_runner_runs_in_flight", "Runs under way.", sources.runsInFlight);
  gauge("svc_runner_runs_waiting", "Due runs waiting for a run place.", sources.runsWaiting);
  gauge("svc_runner_assigned_checks", "Checks assigned to this runner.", sources.assignedChecks);
  gauge("svc_runner_backlog_results", "Results in the spool.", sources.backlogResults);
  gauge("svc_runner_spool_bytes", "Size of the results in the spool.", sources.spoolBytes);
  gauge("svc_runner_artifact_bytes", "Pictures and videos that have not arrived.", sources.artifactBytes);
  gauge("svc_runner_connected", "1 while the control plane has welcomed this runner.", () =>
    Number(sources.isConnected()),
  );
  gauge("svc_runner_loop_busy_ratio", "Share of the event loop that was busy lately.", sources.loopBusyShare);
  gauge(
    "svc_runner_clock_offset_seconds",
    "The control plane's clock minus this machine's.",
    () => sources.clockOffsetMs() / 1000,
  );
  gauge("process_resident_memory_bytes", "Resident memory.", () => memoryUsage.rss());
  gauge("process_cpu_seconds_total", "User and system CPU time.", () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1e6;
  });
  return {
    registry,
    runEnded: (status) => void runsByStatus.set(status, (runsByStatus.get(status) ?? 0) + 1),
    runGivenBack: (reason) => givenBack.inc({ reason }),
    runStarted: (latenessMs) => lateness.observe(latenessMs / 1000),
    resultsDropped: (count) => dropped.inc(count),
    resultRejected: () => rejected.inc(),
    sessionEnded: () => reconnects.inc(),
    loopHeld: (heldMs) => loopHeld.observe(heldMs / 1000),
  };
}
