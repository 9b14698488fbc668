/** Sends the dispatches of a replica to the streams of the runners that shall run them. */
import { MINUTE_MS } from "@svc/contract";
import { signDispatchToken } from "../accounts/identity/dispatch-token.ts";
import { documentFor } from "../fleet/check-documents.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { FleetUpdate } from "../fleet/fleet-watch.ts";
import type { Services } from "../platform/services.ts";
import { Dispatches, dispatchToProto } from "./dispatches.ts";
import type { GatewayStore } from "./gateway-store.ts";
import type { RunSpans } from "./run-spans.ts";
import type { Session } from "./session.ts";

/** Time for which a dispatch token lets a result be delivered: the longest run, its retries and a delay. */
const DISPATCH_TOKEN_LIFETIME_MS = 15 * MINUTE_MS;

/** The fleet's state and tables, and the sessions that dispatches are sent to. */
export interface DispatcherParts {
  services: Pick<Services, "clock" | "secrets">;
  store: Pick<GatewayStore, "findSlotsWithResults" | "loadCheckDocuments">;
  state: FleetState;
  /** Returns the runner's session that takes dispatches; undefined when this replica has none. */
  sessionOf: (runnerKey: number) => Session | undefined;
  runSpans: RunSpans;
}

/** Keeps the dispatches of a replica in memory, and sends each to the session of the runner that shall run it. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #dispatches = new Dispatches();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  add({ dispatches, givenBack }: Pick<FleetUpdate, "dispatches" | "givenBack">): void {
    this.#dispatches.addRows(dispatches);
    this.#parts.runSpans.expect(dispatches);
    this.#dispatches.addGivenBack(givenBack);
  }

  /** Sends this replica's streams the dispatches that they have not got and whose slot has no result yet. */
  async send(): Promise<void> {
    const { services, store, state, sessionOf } = this.#parts;
    const { secrets, clock } = services;
    this.#dispatches.prune(clock.nowMs());
    const unsent = this.#dispatches.listUnsent(state, sessionOf);
    if (unsent.length === 0) return;
    const withResult = await store.findSlotsWithResults(unsent.map(({ dispatch }) => dispatch));
    const checkKeys = new Set(unsent.map(({ dispatch }) => dispatch.checkKey));
    const documents = await store.loadCheckDocuments([...checkKeys]);
    for (const [index, { dispatch, target }] of unsent.entries()) {
      const document = documents.get(dispatch.checkKey);
      const check = document && documentFor(document, target.parts.sealer);
      if (withResult.has(index)) this.#dispatches.remove(dispatch);
      else if (check) {
        const token = signDispatchToken(secrets, dispatch, clock.nowMs() + DISPATCH_TOKEN_LIFETIME_MS);
        target.dispatch(dispatchToProto(dispatch, check, token));
        this.#parts.runSpans.dispatched(dispatch, target.parts.runnerKey);
      }
    }
  }
}
