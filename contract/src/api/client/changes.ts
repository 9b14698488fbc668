/** Client method of the change log. */
import type { ChangeSource, ChangeType } from "../../resources/change.ts";
import type { changeRoutes } from "../changes.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

/** Returns the client methods of the change log. */
export const changeMethods = (call: CallRoute) => ({
  /** Lists who changed which resource, newest first. */
  listChanges: (options: Page & { type?: ChangeType; name?: string; source?: ChangeSource } = {}) =>
    call<(typeof changeRoutes)["list"]>("GET", "/api/changes", { query: { ...options } }),
});
