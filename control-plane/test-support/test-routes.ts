/** Routes of each kind of access, for tests of the REST server itself. */
import { createCheckSchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../src/platform/http/api.ts";

export interface TestRoutes {
  /** Thrown by `GET /api/fails`. */
  failure: Error;
  register(app: ApiApp): void;
}

const reads = { config: { access: "reads" } } as const;
const changes = { config: { access: "changes" } } as const;

/** Returns the routes; their failure is an error with a secret until a test sets another one. */
export function testRoutes(): TestRoutes {
  const routes: TestRoutes = { failure: new Error("a secret detail"), register };
  return routes;

  function register(app: ApiApp): void {
    app.get("/api/mine", reads, async (request) => ({ caller: request.caller }));
    app.post(
      "/api/checked",
      { ...changes, schema: { body: createCheckSchema } },
      async (request) => request.body,
    );
    app.post("/api/bodyless", changes, async () => ({ ok: true }));
    app.get(
      "/api/paged/:id",
      {
        ...reads,
        schema: {
          params: z.object({ id: z.string().startsWith("chk_", "expected an id of the form chk_...") }),
          querystring: z.object({ limit: z.coerce.number().max(200, "largest is 200").default(50) }),
        },
      },
      async (request) => ({ id: request.params.id, limit: request.query.limit }),
    );
    app.get("/api/session-only", { config: { access: "session" } }, async (request) => ({
      caller: request.caller,
    }));
    app.post("/api/session-change", { config: { access: "session_changes" } }, async () => ({ ok: true }));
    app.post("/api/owner-only", { config: { access: "owner" } }, async () => ({ ok: true }));
    app.post("/api/lifecycle", { config: { access: "incident_session" } }, async () => ({ ok: true }));
    app.post("/api/runner-only", { config: { access: "runner" } }, async (request) => request.runnerCaller);
    app.get("/api/fails", reads, async () => {
      throw routes.failure;
    });
  }
}
