/** Client methods of rotas. */
import type { Rota, RotaDuty, UpdateRota } from "../../resources/rota.ts";
import type { rotaRoutes } from "../rotas.ts";
import type { NewRota } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute, ReadVersioned } from "./rest-connection.ts";

type Routes = typeof rotaRoutes;

/** Returns the client methods of rotas. */
export const rotaMethods = (call: CallRoute, readVersioned: ReadVersioned) => ({
  /** Lists all rotas, newest first. */
  listRotas: (): Promise<Rota[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/rotas", { query: page }),
      (answer) => answer.rotas,
    ),
  async createRota(rota: NewRota): Promise<Rota> {
    return (await call<Routes["create"]>("POST", "/api/rotas", { body: rota })).rota;
  },
  /** Gets a rota with its version, for a change of what was read. */
  async readRota(id: string): Promise<{ rota: Rota; etag: string | undefined }> {
    const { answer, etag } = await readVersioned<Routes["get"]>("/api/rotas/:id", { params: { id } });
    return { rota: answer.rota, etag };
  },
  /** @param ifMatch version that the rota must have still, else the service answers 412; undefined: any */
  async updateRota(id: string, change: UpdateRota, ifMatch?: string): Promise<Rota> {
    const input = { params: { id }, body: change, ifMatch };
    return (await call<Routes["update"]>("PUT", "/api/rotas/:id", input)).rota;
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
