/** Client methods of SLOs. */
import type { Slo, SloStatus, UpdateSlo } from "../../resources/slo.ts";
import type { sloRoutes } from "../slos.ts";
import type { NewSlo } from "./new-resources.ts";
import { PAGE_LIMIT_MAX, readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof sloRoutes;

/** Returns the client methods of SLOs. */
export const sloMethods = (call: CallRoute) => ({
  /** Lists all SLOs, newest first. */
  listSlos: (): Promise<Slo[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/slos", { query: page }),
      (answer) => answer.slos,
      { limit: PAGE_LIMIT_MAX },
    ),
  async createSlo(slo: NewSlo): Promise<Slo> {
    return (await call<Routes["create"]>("POST", "/api/slos", { body: slo })).slo;
  },
  async updateSlo(id: string, change: UpdateSlo): Promise<Slo> {
    return (await call<Routes["update"]>("PUT", "/api/slos/:id", { params: { id }, body: change })).slo;
  },
  async getSloStatus(id: string): Promise<SloStatus> {
    return (await call<Routes["getStatus"]>("GET", "/api/slos/:id/status", { params: { id } })).state;
  },
  deleteSlo: (id: string) => call<Routes["delete"]>("DELETE", "/api/slos/:id", { params: { id } }),
});
