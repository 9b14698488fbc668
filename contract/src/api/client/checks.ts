/** Client methods of checks. */
import type { Check, CheckSummary, UpdateCheck } from "../../resources/check.ts";
import type { checkRoutes } from "../checks.ts";
import type { NewCheck } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute, ReadVersioned } from "./rest-connection.ts";

type Routes = typeof checkRoutes;

/** Returns the client methods of checks. */
export const checkMethods = (call: CallRoute, readVersioned: ReadVersioned) => ({
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
  /** Gets a check with its version, for a change of what was read. */
  async readCheck(id: string): Promise<{ check: Check; etag: string | undefined }> {
    const { answer, etag } = await readVersioned<Routes["get"]>("/api/checks/:id", { params: { id } });
    return { check: answer.check, etag };
  },
  /** @param ifMatch version that the check must have still, else the service answers 412; undefined: any */
  async updateCheck(id: string, change: UpdateCheck, ifMatch?: string): Promise<Check> {
    const input = { params: { id }, body: change, ifMatch };
    return (await call<Routes["update"]>("PUT", "/api/checks/:id", input)).check;
  },
  deleteCheck: (id: string) => call<Routes["delete"]>("DELETE", "/api/checks/:id", { params: { id } }),
  /** Runs the check now, in each of its locations. */
  triggerCheck: (id: string) =>
    call<Routes["trigger"]>("POST", "/api/checks/:id/trigger", { params: { id } }),
});
