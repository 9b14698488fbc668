/** What goes wrong in a history, or is done by somebody: how each kind of trouble begins and ends. */
import { isSlot, phaseMs } from "@svc/contract";
import type { Channels } from "./channels.ts";
import type { Network } from "./network.ts";
import type { LateRule, NotifyStep, PlannedWindow, Trouble } from "./plan.ts";
import { reviseCheck } from "./revisions.ts";
import { ruleOf } from "./rules.ts";
import { EPOCH_MS } from "./scheduler.ts";
import type { AgentMachine, SimulatedAgent } from "./simulated-agent.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import type { Surroundings } from "./surroundings.ts";
import type { WindowRecord } from "./tables.ts";

/** The machines of a history, and the processes that run on them now. */
interface TroubledParts {
  network: Network;
  channels: Channels;
  machines: readonly AgentMachine[];
  agents: readonly SimulatedAgent[];
  replicas: readonly SimulatedReplica[];
  /** The process by which users change checks. */
  users: SimulatedProcess;
  /** Starts an agent's or a replica's next process, unless one runs. */
  restart(kind: "agent" | "replica", index: number): void;
}

/** Lets troubles begin and end. */
export class Troubles {
  readonly #world: Surroundings;
  readonly #parts: TroubledParts;
  /** Kills that wait for a process to come to a step. */
  #armed: Extract<Trouble, { kind: "notifier_killed" }>[] = [];

  constructor(world: Surroundings, parts: TroubledParts) {
    this.#world = world;
    this.#parts = parts;
  }

  /** Kills the process when a trouble waits for it to come to this step. */
  reached(step: NotifyStep, process: SimulatedProcess): void {
    const { scheduler, random, trace } = this.#world;
    const armed = this.#armed.find((one) => one.step === step);
    const index = this.#parts.replicas.findIndex((replica) => replica.process === process);
    if (!armed || index < 0) return;
    this.#armed = this.#armed.filter((one) => one !== armed);
    trace.note(`${process.name} is killed, having come to the step "${step}"`);
    // While its request, or its transaction, is on its way.
    const withinMs = step === "sending" || step === "recording" ? 5 : 0;
    scheduler.after(random.between(0, withinMs), () => process.kill());
    scheduler.after(armed.forMs, () => this.#parts.restart("replica", index));
  }

  /** Ends all troubles: network, database, disks and channels are well. */
  end(): void {
    const { database } = this.#world;
    const { network, channels, machines } = this.#parts;
    network.heal();
    database.heal();
    channels.heal();
    for (const { disk } of machines) Object.assign(disk, { isFull: false, slownessMs: 10 });
    this.#armed = [];
  }

  /** Lets the trouble begin. */
  begin(trouble: Trouble): void {
    const { forMs } = trouble;
    const { scheduler, database } = this.#world;
    const { agents, replicas, machines, network, channels, restart } = this.#parts;
    const later = (run: () => void) => scheduler.after(forMs, run);
    switch (trouble.kind) {
      case "agent_killed":
        agents[trouble.agent]?.process.kill();
        later(() => restart("agent", trouble.agent));
        break;
      case "agent_drained": {
        const agent = agents[trouble.agent];
        if (!agent?.process.isAlive) break;
        agent.process.onDeath(() => later(() => restart("agent", trouble.agent)));
        void agent.drain();
        break;
      }
      case "agent_held":
        this.#hold(trouble.agent, forMs);
        break;
      case "agent_disk_slow":
      case "agent_disk_full": {
        const disk = machines[trouble.agent]?.disk;
        if (!disk) break;
        if (trouble.kind === "agent_disk_full") disk.isFull = true;
        else disk.slownessMs = 3_000;
        later(() => Object.assign(disk, { isFull: false, slownessMs: 10 }));
        break;
      }
      case "replica_killed":
        replicas[trouble.replica]?.process.kill();
        later(() => restart("replica", trouble.replica));
        break;
      case "replica_held":
        replicas[trouble.replica]?.process.hold(forMs);
        this.#world.record.replicaHolds.push({ fromMs: scheduler.nowMs, toMs: scheduler.nowMs + forMs });
        break;
      case "replica_ended": {
        const replica = replicas[trouble.replica];
        if (!replica?.process.isAlive) break;
        replica.process.onDeath(() => later(() => restart("replica", trouble.replica)));
        void replica.end();
        break;
      }
      case "notifier_killed":
        this.#armed.push(trouble);
        break;
      case "channel":
        channels.setMood(trouble.channel + 1, trouble.mood);
        later(() => channels.setMood(trouble.channel + 1, "well"));
        break;
      case "link_cut":
        network.cut(`agent-${trouble.agent}`, `replica-${trouble.replica}`, forMs);
        break;
      case "agent_cut_off":
        for (let index = 0; index < this.#world.plan.replicas; index++)
          network.cut(`agent-${trouble.agent}`, `replica-${index}`, forMs);
        break;
      case "agent_cut_then_killed":
        // As when a site loses its network first and its power then.
        for (let index = 0; index < this.#world.plan.replicas; index++)
          network.cut(`agent-${trouble.agent}`, `replica-${index}`, forMs);
        scheduler.after(this.#world.random.between(300, 4_500), () => {
          agents[trouble.agent]?.process.kill();
          later(() => restart("agent", trouble.agent));
        });
        break;
      case "streams_broken":
        for (const stream of [...network.streams]) stream.breakFrom("replica", "a proxy restarted");
        break;
      case "packets_lost":
        network.lossProbability = 0.3;
        later(() => {
          network.lossProbability = 0;
        });
        break;
      case "database_killed":
        database.crash(forMs);
        break;
      case "database_slow":
        database.slownessMs = 250;
        later(() => {
          database.slownessMs = 8;
        });
        break;
      case "check_changed":
        this.#changeCheck(trouble);
        break;
      case "run_triggered":
        this.#triggerRun(trouble.check + 1);
        break;
    }
  }

  /** Makes a maintenance window as a user does, and changes it later. */
  makeWindow(key: number, planned: PlannedWindow): void {
    const { mode, checks, occurrences, changes } = planned;
    const window: WindowRecord = {
      key,
      mode,
      checkKeys: checks?.map((check) => check + 1) ?? null,
      occurrences: occurrences.map(({ startsMs, endsMs }) => ({
        startsAtMs: EPOCH_MS + startsMs,
        endsAtMs: EPOCH_MS + endsMs,
      })),
    };
    this.#writeWindow(window);
    for (const { atMs, endsMs } of changes)
      this.#world.scheduler.after(atMs - planned.atMs, () => {
        const [first, ...others] = window.occurrences;
        // A window that is deleted ends now.
        const nowMs = this.#world.database.nowMs;
        const endsAtMs = endsMs === null ? Math.min(first?.endsAtMs ?? 0, nowMs) : EPOCH_MS + endsMs;
        const changed = first ? [{ ...first, endsAtMs }] : [];
        this.#writeWindow({ ...window, occurrences: endsMs === null ? changed : [...changed, ...others] });
      });
  }

  #writeWindow(window: WindowRecord): void {
    const { database, tables, record, scheduler, trace, random } = this.#world;
    const write = () => {
      tables.windows.set(window.key, window);
      record.windows.push({ committedAtMs: scheduler.nowMs, window });
      trace.note(`window ${JSON.stringify(window)}`);
    };
    const options = { durationMs: random.between(1, 500) };
    database.write(this.#parts.users, write, options).catch(() => undefined);
  }

  /** Makes a rule as a user does. */
  makeRule(rule: LateRule): void {
    const { database, tables, trace } = this.#world;
    const { durationMs } = rule;
    const insert = (xid: number) => {
      const key = tables.rules.length + 1;
      tables.rules.push({ ...ruleOf(rule), key, changedXid: xid });
      trace.note(`check ${rule.check + 1} gets rule ${key}`);
    };
    database.write(this.#parts.users, insert, { durationMs }).catch(() => undefined);
  }

  #hold(index: number, forMs: number): void {
    const agent = this.#parts.agents[index];
    if (!agent) return;
    agent.process.hold(forMs);
    const { scheduler, record } = this.#world;
    const { nowMs } = scheduler;
    record.holds.push({ locationKey: agent.machine.locationKey, fromMs: nowMs, toMs: nowMs + forMs });
  }

  /**
   * Has a check run now in all its locations, as a user does. The slot is the instant of the request, or the next one that is
   * free.
   */
  #triggerRun(checkKey: number): void {
    const { database, tables, trace } = this.#world;
    const atMs = database.nowMs;
    const dispatch = (changedXid: number) => {
      const check = tables.checks.get(checkKey);
      if (!check) return;
      const { id, frequencySeconds, locationKeys } = check;
      const isUsed = (slotMs: number) =>
        isSlot(slotMs, frequencySeconds * 1_000, phaseMs(id, frequencySeconds)) ||
        tables.manualRuns.some((run) => run.checkKey === checkKey && run.slotMs === slotMs);
      let slotMs = atMs;
      while (isUsed(slotMs)) slotMs++;
      tables.manualRuns.push({ checkKey, slotMs, locationKeys: [...locationKeys], changedXid });
      trace.note(`check ${checkKey} is to run now, as slot ${slotMs}`);
    };
    database.write(this.#parts.users, dispatch, { isWaking: () => true }).catch(() => undefined);
  }

  /** Changes a check as a user does: the schedule is in force from the begin of the transaction on. */
  #changeCheck({
    check: index,
    frequencySeconds,
    enabled,
  }: Extract<Trouble, { kind: "check_changed" }>): void {
    const { database, tables, trace, random } = this.#world;
    const atMs = database.nowMs;
    const change = (xid: number) => {
      const check = tables.checks.get(index + 1);
      if (!check || !reviseCheck(check, { frequencySeconds, enabled }, { atMs, xid })) return;
      trace.note(`check ${check.key} is changed to ${frequencySeconds} s, ${enabled ? "on" : "off"}`);
    };
    // A deploy of many checks is one transaction, which lasts.
    const durationMs = random.between(5, 1_500);
    database.write(this.#parts.users, change, { isWaking: () => true, durationMs }).catch(() => undefined);
  }
}
