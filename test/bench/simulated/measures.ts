/** The figures of one simulated replica, as its process hands them over. */

/** The move of check locations after agents were lost, as one replica's agents saw it. */
export interface Moved {
  /** Check locations that all agents of the fleet lost. */
  lost: number;
  /** Check locations that came to this replica's agents. */
  held: number;
  p50Ms: number;
  p99Ms: number;
  lastMs: number;
  /** Slots of those check locations from the loss on, and how many of them were run. */
  slotsExpected: number;
  slotsRun: number;
  /** Slots that were run more than a second late. */
  slotsLate: number;
  cpuMs: number;
  /** CPU of the longest poll, for which the event loop stood still. */
  longestPollMs: number;
}

/** The arrival of agents from another replica. */
export interface Arrivals {
  agents: number;
  /** Time from the loss of the old stream to the whole snapshot, the longest. */
  lastMs: number;
  /** Check locations whose owner changed. */
  moved: number;
  cpuMs: number;
  bytes: number;
}

/** Figures of one replica. */
export interface ReplicaMeasures {
  replica: number;
  agents: number;
  bytesPerCheck: number;
  heapBytesPerCheck: number;
  bytesPerAssignment: number;
  rssMiB: number;
  /** Heap of an alert rule. */
  bytesPerRule: number;
  loadCpuMs: number;
  assignments: number;
  snapshotBytes: number;
  snapshotCpuMs: number;
  minute: {
    cpuMs: number;
    results: number;
    rejected: number;
    failures: number;
    fired: number;
    heartbeats: number;
    batches: number;
    bytesFromAgents: number;
    bytesToAgents: number;
  };
  killed: Moved;
  backCpuMs: number;
  vanished: Moved;
  replicaDied: Arrivals;
  upgrade: Arrivals;
}
