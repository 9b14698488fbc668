/** Routes for operators and their machines: liveness, readiness, metrics. */
import * as z from "zod";
import { processMetrics } from "../metrics/registry.ts";
import type { Services } from "../services.ts";
import type { ApiApp } from "./api.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { Readiness } from "./readiness.ts";

const config = { access: "public", isUncounted: true } as const;

const readinessSchema = z.object({
  status: z.enum(["ready", "starting", "unavailable", "stopping"]),
  reason: z.string().optional(),
});

/** Registers `/healthz`, `/readyz` and `/metrics`. */
export function registerOperationsRoutes(app: ApiApp, services: Services, lifecycle: Lifecycle): void {
  const readiness = new Readiness(lifecycle, services.knex);
  app.get(
    "/healthz",
    {
      config,
      schema: { summary: "The process lives", response: { 200: z.object({ status: z.literal("ok") }) } },
    },
    async () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      config,
      schema: {
        summary: "Ready to serve: the database is reachable and migrated",
        response: { 200: readinessSchema, 503: readinessSchema },
      },
    },
    async (_request, reply) => {
      const state = await readiness.check();
      return reply.code(state.status === "ready" ? 200 : 503).send(state);
    },
  );

  app.get(
    "/metrics",
    {
      config,
      schema: {
        summary: "Prometheus metrics",
        response: { 200: { content: { "text/plain": { schema: z.string() } } } },
      },
    },
    async (_request, reply) => reply.type(processMetrics.contentType).send(await processMetrics.metrics()),
  );
}
