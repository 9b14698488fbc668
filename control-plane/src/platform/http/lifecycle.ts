/** The life of the process as the composition root reports it. */

/** Whether the service can work; `reason` is a sentence for the operator. */
export type ReadinessState =
  | { status: "ready" }
  | { status: "starting" | "unavailable" | "stopping"; reason: string };

/** State of the process: the composition root moves it on, `/readyz` and the routes read it. */
export interface Lifecycle {
  state: ReadinessState;
}
