/** Deletes a rota, after a question: `svc rotas delete`. */
import { getRota, ROTA_ARGUMENT } from "../../resources/rotas/get-rota.ts";
import { deleteCommand } from "../../runtime/delete-command.ts";

/** Defines `svc rotas delete`, which asks unless `--yes` is given. */
export const command = deleteCommand({
  path: "rotas delete",
  summary: "delete a rota that no step of the incident policy names",
  kind: "rota",
  argument: ROTA_ARGUMENT,
  find: getRota,
  send: (api, id) => api.deleteRota(id),
});
