/** Client methods of rotas. */
import type { Rota, RotaDuty, UpdateRota } from "../../resources/rota.ts";
import type { rotaRoutes } from "../rotas.ts";
import type { NewRota } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof rotaRoutes;

/** Returns the client methods of rotas. */
export const rotaMethods = (call: CallRoute) => ({
  /** Lists all rotas, newest first. */
  listRotas: (): Promise<Rota[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/rotas", { query: page }),
      (answer) => answer.rotas,
    ),
  async createRota(rota: NewRota): Promise<Rota> {
    return (await call<Routes["create"]>("POST", "/api/rotas", { body: rota })).rota;
  },
  async updateRota(id: string, change: UpdateRota): Promise<Rota> {
    return (await call<Routes["update"]>("PUT", "/api/rotas/:id", { params: { id }, body: change })).rota;
  },
  deleteRota: (id: string) => call<Routes["delete"]>("DELETE", "/api/rotas/:id", { params: { id } }),
  /** Tells who is on duty between two ISO 8601 instants, up to 92 days apart, the earliest first. */
  async readRotaSchedule(id: string, span: { from: string; to: string }): Promise<RotaDuty[]> {
    const answer = call<Routes["schedule"]>("GET", "/api/rotas/:id/schedule", {
      params: { id },
      query: span,
    });
    return (await answer).schedule;
  },
});
