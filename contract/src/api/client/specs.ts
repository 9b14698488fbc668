/** Client methods of API specs and of the generation of checks from them. */
import type { Spec } from "../../resources/spec.ts";
import type { specRoutes } from "../specs.ts";
import type { NewGeneration, NewSpec, SpecChange } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof specRoutes;

/** Returns the client methods of API specs. */
export const specMethods = (call: CallRoute) => ({
  listSpecs: (): Promise<Spec[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/specs", { query: page }),
      (answer) => answer.specs,
    ),
  async createSpec(spec: NewSpec): Promise<Spec> {
    return (await call<Routes["create"]>("POST", "/api/specs", { body: spec })).spec;
  },
  /** Gets the spec with its operations. */
  getSpec: (id: string) => call<Routes["get"]>("GET", "/api/specs/:id", { params: { id } }),
  /** Changes the spec; without a change the document of a spec with a URL is fetched again. */
  async updateSpec(id: string, change: SpecChange = {}): Promise<Spec> {
    return (await call<Routes["update"]>("PUT", "/api/specs/:id", { params: { id }, body: change })).spec;
  },
  deleteSpec: (id: string) => call<Routes["delete"]>("DELETE", "/api/specs/:id", { params: { id } }),
  /** Generates a check for each operation that has none; more than 50 need `confirm`, else the answer is a 409. */
  generateChecks: (generation: NewGeneration) =>
    call<Routes["generate"]>("POST", "/api/checks/generate", { body: generation }),
});
