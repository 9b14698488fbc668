/** Client methods of alert instances. */
import type { AlertInstanceSummary, AlertState } from "../../resources/alert-instance.ts";
import type { alertInstanceRoutes } from "../alert-instances.ts";
import { PAGE_LIMIT_MAX, readAll } from "./read-all.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

type Routes = typeof alertInstanceRoutes;

/** Returns the client methods of alert instances. */
export const alertInstanceMethods = (call: CallRoute) => ({
  /** Lists a page, newest first. */
  listAlertInstances: (options: Page & { state?: readonly AlertState[]; checkId?: string } = {}) =>
    call<Routes["list"]>("GET", "/api/alerts/instances", {
      query: { ...options, state: options.state?.join(",") },
    }),
  /** Lists all instances in these states, newest first. */
  listAllAlertInstances: ({ state }: { state: readonly AlertState[] }): Promise<AlertInstanceSummary[]> =>
    readAll(
      (page) =>
        call<Routes["list"]>("GET", "/api/alerts/instances", { query: { ...page, state: state.join(",") } }),
      (answer) => answer.instances,
      { limit: PAGE_LIMIT_MAX },
    ),
  getAlertInstance: (id: string) =>
    call<Routes["get"]>("GET", "/api/alerts/instances/:id", { params: { id } }),
  /** Answered with 409 when the instance is not active. */
  acknowledgeAlertInstance: (id: string) =>
    call<Routes["acknowledge"]>("POST", "/api/alerts/instances/:id/acknowledge", { params: { id } }),
  /** Answered with 409 when the instance is over. */
  resolveAlertInstance: (id: string) =>
    call<Routes["resolve"]>("POST", "/api/alerts/instances/:id/resolve", { params: { id } }),
  /**
   * Answered with 409 when the instance is over.
   * @param mute `until` in ISO 8601; without it the mute lasts until somebody lifts it
   */
  muteAlertInstance: (id: string, mute: { until?: string } = {}) =>
    call<Routes["mute"]>("POST", "/api/alerts/instances/:id/mute", { params: { id }, body: mute }),
  /** Answered with 409 when the instance is over. */
  unmuteAlertInstance: (id: string) =>
    call<Routes["unmute"]>("POST", "/api/alerts/instances/:id/unmute", { params: { id } }),
});
