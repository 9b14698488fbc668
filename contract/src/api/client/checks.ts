/** Client methods of checks. */
import type { Check, CheckSummary, UpdateCheck } from "../../resources/check.ts";
import type { checkRoutes } from "../checks.ts";
import type { NewCheck } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof checkRoutes;

/** Returns the client methods of checks. */
export const checkMethods = (call: CallRoute) => ({
  async listChecks(): Promise<Check[]> {
    const checks = await readAll(
      (page) => call<Routes["list"]>("GET", "/api/checks", { query: page }),
      (answer) => answer.checks,
    );
    return checks as Check[];
  },
  /** Lists the checks without their configurations. */
  listCheckSummaries: (): Promise<CheckSummary[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/checks", { query: { ...page, view: "summary" } }),
      (answer) => answer.checks,
    ),
  async createCheck(check: NewCheck): Promise<Check> {
    return (await call<Routes["create"]>("POST", "/api/checks", { body: check })).check;
  },
  /** Gets the check and its 50 newest results. */
  getCheck: (id: string) => call<Routes["get"]>("GET", "/api/checks/:id", { params: { id } }),
  async updateCheck(id: string, change: UpdateCheck): Promise<Check> {
    const input = { params: { id }, body: change };
    return (await call<Routes["update"]>("PUT", "/api/checks/:id", input)).check;
  },
  deleteCheck: (id: string) => call<Routes["delete"]>("DELETE", "/api/checks/:id", { params: { id } }),
  /** Runs the check now, in each of its locations. */
  triggerCheck: (id: string) =>
    call<Routes["trigger"]>("POST", "/api/checks/:id/trigger", { params: { id } }),
});
