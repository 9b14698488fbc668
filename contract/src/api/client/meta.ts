/** Client method of the service's own facts. */
import type { ServiceMeta } from "../../resources/service-meta.ts";
import type { metaRoutes } from "../meta.ts";
import type { CallRoute } from "./rest-connection.ts";

/** Returns the client method of the service's own facts. */
export const metaMethods = (call: CallRoute) => ({
  /** Gets the service's version, the team's limits with what it uses of them, and what is set up. */
  getMeta: (): Promise<ServiceMeta> => call<(typeof metaRoutes)["get"]>("GET", "/api/meta"),
});
