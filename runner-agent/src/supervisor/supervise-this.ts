/** The side of a process that was started by a supervisor: it ends when that asks for it or is gone, and answers its questions. */
import type { HealthSources } from "../health/server.ts";
import type { FromProcess, ToProcess } from "./messages.ts";

/** This process as its supervisor sees it. */
export interface Supervision {
  /**
   * Says that the agent works.
   * @param stop drains the agent and ends the process; called once
   */
  started(sources: HealthSources, stop: () => void): void;
  /** Says that the agent has stopped and nothing is left to be sent. Resolves once the supervisor was sent that. */
  delivered(): Promise<void>;
}

/**
 * Begins to listen to the supervisor. SIGINT is the supervisor's: a terminal sends it to all processes. Until the agent has started,
 * whatever asks it to end ends the process at once.
 */
export function superviseThis(): Supervision {
  let sources: HealthSources | undefined;
  let stopAgent: () => void = () => process.exit(0);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    stopAgent();
  };
  process.on("SIGINT", () => {});
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
  process.on("message", (message: ToProcess) => {
    if (message.kind === "stop") return stop();
    const { id, about } = message;
    if (sources) void answerOf(about, sources).then((answer) => send({ kind: "answer", id, ...answer }));
  });
  return {
    started(healthSources, stopOnce) {
      sources = healthSources;
      stopAgent = stopOnce;
      void send({ kind: "started" });
    },
    delivered: () => send({ kind: "delivered" }),
  };
}

async function answerOf(about: "metrics" | "reasons", { reasons, registry }: HealthSources) {
  return about === "metrics"
    ? { metrics: await registry.metrics().catch(() => "") }
    : { reasons: await reasons() };
}

/** A supervisor that is just ending takes no message. */
function send(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
