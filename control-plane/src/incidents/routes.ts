/** /api/incidents: the lifecycle actions, for signed-in people only. Nothing correlates alerts yet, so no incident exists. */
import { notFound } from "@svc/contract";
import { z } from "zod";
import type { ApiApp } from "../http/api.ts";

const NOTE_LENGTH_MAX = 10_000;

const schema = { params: z.object({ id: z.string() }) };
const config = { access: "incident_session" } as const;

export function registerIncidentRoutes(app: ApiApp): void {
  for (const [action, summary] of [
    ["acknowledge", "Acknowledge an incident"],
    ["close", "Close an incident"],
    ["reopen", "Reopen a resolved or closed incident"],
  ] as const)
    app.post(`/api/incidents/:id/${action}`, { config, schema: { ...schema, summary } }, async () => {
      throw notFound("Incident");
    });

  app.post(
    "/api/incidents/:id/notes",
    {
      config,
      schema: {
        ...schema,
        summary: "Add a note to an incident",
        body: z.strictObject({ body: z.string().trim().min(1, "a note has text").max(NOTE_LENGTH_MAX) }),
      },
    },
    async () => {
      throw notFound("Incident");
    },
  );
}
