/** Client methods of third-party patterns. */
import type { ThirdPartyPattern } from "../../resources/third-party-pattern.ts";
import type { thirdPartyPatternRoutes } from "../third-party-patterns.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof thirdPartyPatternRoutes;

/** Returns the client methods of third-party patterns. */
export const thirdPartyPatternMethods = (call: CallRoute) => ({
  /** Lists all third-party patterns, newest first. */
  listThirdPartyPatterns: (): Promise<ThirdPartyPattern[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/third-party-patterns", { query: page }),
      (answer) => answer.patterns,
    ),
  async createThirdPartyPattern(pattern: { name: string; hostPattern: string }): Promise<ThirdPartyPattern> {
    return (await call<Routes["create"]>("POST", "/api/third-party-patterns", { body: pattern })).pattern;
  },
  deleteThirdPartyPattern: (id: string) =>
    call<Routes["delete"]>("DELETE", "/api/third-party-patterns/:id", { params: { id } }),
});
