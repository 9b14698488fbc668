/** Client methods of labels. */
import type { labelRoutes } from "../labels.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof labelRoutes;

/** Returns the client methods of labels. */
export const labelMethods = (call: CallRoute) => ({
  /** Returns the labels of all checks that have any, by the checks' ids. */
  async listLabels(): Promise<Record<string, string[]>> {
    const entries = await readAll(
      (page) => call<Routes["listOfTeam"]>("GET", "/api/labels", { query: page }),
      (answer) => Object.entries(answer.labels),
    );
    return Object.fromEntries(entries);
  },
  setLabels: (id: string, labels: readonly string[]) =>
    call<Routes["set"]>("PUT", "/api/checks/:id/labels", { params: { id }, body: { labels: [...labels] } }),
});
