/** Deletes a status page with its notices, after a question: `svc status-pages delete`. */
import { getPage, PAGE_ARGUMENT } from "../../resources/status-pages/get-page.ts";
import { deleteCommand } from "../../runtime/delete-command.ts";

/** Defines `svc status-pages delete`, which asks unless `--yes` is given. */
export const command = deleteCommand({
  path: "status-pages delete",
  summary: "delete a status page and its notices",
  kind: "status page",
  along: " and its notices",
  argument: PAGE_ARGUMENT,
  find: getPage,
  send: (api, id) => api.deleteStatusPage(id),
});
