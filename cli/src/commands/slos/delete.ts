/** Deletes an SLO and the rules that it generated, after a question: `svc slos delete`. */
import { getSlo, SLO_ARGUMENT } from "../../resources/slos/get-slo.ts";
import { deleteCommand } from "../../runtime/delete-command.ts";

/** Defines `svc slos delete`, which asks unless `--yes` is given. */
export const command = deleteCommand({
  path: "slos delete",
  summary: "delete an SLO and its burn-rate rules",
  kind: "SLO",
  along: " and its burn-rate rules",
  argument: SLO_ARGUMENT,
  find: getSlo,
  send: (api, id) => api.deleteSlo(id),
});
