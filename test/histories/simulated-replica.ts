/**
 * A replica of the control plane in a history: the product's fleet state, watch, sessions, dispatches and ingest, joined as
 * `control-plane/src/app/fleet-services.ts` joins them, over the model of the database.
 */
import { createContextValues } from "@connectrpc/connect";
import type { RunnerKeyId } from "@svc/contract";
import type { SessionRequest, SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Registry } from "prom-client";
import { AlertEvaluator } from "../../control-plane/src/alerting/evaluation/evaluator.ts";
import { endMutes } from "../../control-plane/src/alerting/instances/end-mutes.ts";
import { alertMetrics } from "../../control-plane/src/alerting/metrics.ts";
import { switchWindows } from "../../control-plane/src/checks/maintenance/switch-windows.ts";
import { FleetState } from "../../control-plane/src/fleet/fleet-state.ts";
import { Fleet } from "../../control-plane/src/gateway/fleet.ts";
import type { GatewayStore } from "../../control-plane/src/gateway/gateway-store.ts";
import { fleetMetrics } from "../../control-plane/src/gateway/metrics.ts";
import { RUNNER_KEY } from "../../control-plane/src/gateway/rpc-handler.ts";
import { serveSession } from "../../control-plane/src/gateway/serve-session.ts";
import { createSecretBox } from "../../control-plane/src/platform/db/secret-box.ts";
import { notificationMetrics } from "../../control-plane/src/response/notifications/metrics.ts";
import { AttemptRecorder } from "../../control-plane/src/response/notifications/recorder.ts";
import { NotificationWorker } from "../../control-plane/src/response/notifications/worker.ts";
import { Ingester } from "../../control-plane/src/results/ingest/ingester.ts";
import { ingestMetrics } from "../../control-plane/src/results/ingest/metrics.ts";
import { modelEvaluationStore } from "./evaluation-model.ts";
import { modelGatewayStore } from "./gateway-model.ts";
import { modelIngestStore } from "./ingest-model.ts";
import type { Stream } from "./network.ts";
import { modelNotificationQueue } from "./notification-model.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { Surroundings } from "./surroundings.ts";
import { modelMuteStore, modelWindowSwitchStore } from "./window-model.ts";

/** Time limit of an attempt to notify, as in the product. */
const ATTEMPT_TIMEOUT_MS = 10_000;
const SECRETS = createSecretBox("a key of a model, which protects nothing");

/** One process of a replica. It runs from its making until it is killed. */
export class SimulatedReplica {
  readonly process: SimulatedProcess;
  readonly #world: Surroundings;
  readonly #fleet: Fleet;
  readonly #notifications: NotificationWorker;

  constructor(
    world: Surroundings,
    { name, skewMs, registry }: { name: string; skewMs: number; registry: Registry },
  ) {
    this.#world = world;
    this.process = new SimulatedProcess(world.scheduler, name, { skewMs, rate: 1 });
    const { process } = this;
    const { database, tables, log } = world;
    const nowMs = () => Math.floor(process.wallMs());
    const state = new FleetState();
    const timing = { monotonicMs: process.monotonicMs, setTimer: process.setTimer };
    const evaluator = new AlertEvaluator({
      log,
      nowMs,
      random: world.random.fork().next,
      metrics: alertMetrics(registry),
    });
    const ingester: Ingester = new Ingester({
      store: modelIngestStore({
        database,
        tables,
        process,
        acksBeforeCommit: world.faults.ackBeforeCommit,
        consume: (stored, group, rows) =>
          evaluator.evaluateStoredIn(
            modelEvaluationStore({ ...world, stored, onViolation: (text) => world.fail(text) }),
            group,
            rows,
          ),
        onStored: (rows) => {
          for (const { checkKey, locationKey, slotMs } of rows)
            world.trace.note(`stored ${checkKey}/${locationKey}/${slotMs}`);
        },
      }),
      log,
      state,
      nowMs,
      retentionDays: 30,
      metrics: ingestMetrics(registry),
      refreshFleet: () => fleet.refresh(),
      timing,
    });
    const fleet: Fleet = new Fleet({
      services: {
        config: { runnerSessionsPerKeyMax: 100, runnerSessionsPerTeamMax: 1_000 },
        clock: { nowMs },
        log,
        replicaId: name,
        secrets: SECRETS,
      },
      store: this.#storeOf(modelGatewayStore(database, tables, process)),
      state,
      ingester,
      metrics: fleetMetrics(registry),
      version: "model",
      processTiming: timing,
      newSessionId: () => world.newUuid(),
    });
    this.#fleet = fleet;
    fleet.start();
    this.#notifications = this.#makeNotifications(registry);
    this.#notifications.start();
    // Most histories have no windows, and looks at what is not there take time.
    if (world.plan.windows.length > 0) this.#startWindowJobs(nowMs);
  }

  #startWindowJobs(nowMs: () => number): void {
    const { database, tables, faults, record } = this.#world;
    const onPause = () => {
      record.pauses++;
    };
    const parts = { database, tables, faults, process: this.process, onPause };
    const [windows, mutes] = [modelWindowSwitchStore(parts), modelMuteStore(parts)];
    this.#startJob("windows", 1_000, () => switchWindows(windows, nowMs()));
    this.#startJob("mutes", 2_000, () => endMutes(mutes, nowMs()));
  }

  /** Repeats the work, on one replica at a time, as `startBackgroundJob` does. */
  #startJob(name: string, intervalMs: number, work: () => Promise<unknown>): void {
    const { database } = this.#world;
    const { process } = this;
    const round = async () => {
      if (await database.read(process, () => database.holdsJobLock(name, process))) await work();
    };
    const repeat = () => {
      const again = () => void process.after(intervalMs, repeat);
      round().then(again, again);
    };
    repeat();
  }

  /** Ends the replica as a deploy does: notifications under way come to their end first. */
  async end(): Promise<void> {
    await this.#notifications.close();
    this.process.kill();
  }

  #makeNotifications(registry: Registry): NotificationWorker {
    const { process } = this;
    const { database, tables, faults, log, channels, reached, random } = this.#world;
    const owner = this.#world.newUuid();
    const queue = modelNotificationQueue({ database, tables, process, faults, onStep: reached });
    const timing = { monotonicMs: process.monotonicMs, setTimer: process.setTimer };
    return new NotificationWorker({
      log,
      tools: {
        log,
        owner,
        queue,
        send: (claimed, signal) => channels.send(process, claimed, signal),
        withoutAttempt: () => undefined,
        random: random.fork().next,
        metrics: notificationMetrics(registry, { countPending: async () => 0, areStuck: async () => false }),
        recorder: new AttemptRecorder({ queue, owner, timing }),
        attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
        lostMs: process.lostMs,
        timing,
      },
    });
  }

  /** Serves a stream that has reached the replica. */
  serve(
    stream: Stream<SessionRequest, SessionResponse>,
    { signal, locationKey }: { signal: AbortSignal; locationKey: number },
  ): void {
    const key = { id: `rk_${locationKey}` as RunnerKeyId, locationKey, lastUsedAt: null };
    const values = createContextValues().set(RUNNER_KEY, key);
    const { timing, log } = { timing: this.process, log: this.#world.log };
    const answers = serveSession({ services: { log }, fleet: this.#fleet, timing }, stream.up.read(), {
      signal,
      values,
    });
    stream.pump("down", answers).catch((error: unknown) => stream.refuse(error));
  }

  /** Puts planted faults into the store: each replica counts only its own runners, or only dispatches that no other has read. */
  #storeOf(store: GatewayStore): GatewayStore {
    const { faults, tables } = this.#world;
    const { name } = this.process;
    const { fleet } = store;
    const isOwn = ({ checkKey, slotMs }: { checkKey: number; slotMs: number }) => {
      const run = tables.manualRuns.find((one) => one.checkKey === checkKey && one.slotMs === slotMs);
      if (run) run.readBy ??= name;
      return run?.readBy === name;
    };
    return {
      ...store,
      fleet: {
        ...fleet,
        ...(faults.twoOwners && {
          readRunners: async () => (await fleet.readRunners()).filter(({ replicaId }) => replicaId === name),
        }),
        ...(faults.dispatchReadOnce && {
          readDispatches: async (...from: Parameters<typeof fleet.readDispatches>) =>
            (await fleet.readDispatches(...from)).filter(isOwn),
        }),
      },
    };
  }
}
