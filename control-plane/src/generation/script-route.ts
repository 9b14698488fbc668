/** Answers requests for scripts: whole, or as a stream of events for those who watch it come about. */
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, type GeneratedScript, problemsOf, type ScriptGenerationEvent } from "@svc/contract";
import type { FastifyReply } from "fastify";
import type { WriteScript } from "../checks/api-specs/routes.ts";
import type { TestRunFleet } from "../gateway/test-runs/routes.ts";
import { errorAnswer } from "../platform/http/errors.ts";
import { contextOf } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { type GenerationParts, generateScript } from "./generate-script.ts";
import { type Generator, leftSignal } from "./generator.ts";

const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  // A proxy that changes or collects the answer would hold events back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Returns the function that answers requests for scripts. */
export function scriptWriter(
  services: Services,
  { generator, fleet: { state, refreshFleet } }: { generator: Generator; fleet: TestRunFleet },
): WriteScript {
  return async (request, reply, input) => {
    const ctx = contextOf(services, request);
    const signal = leftSignal(reply);
    const generate = (onProgress: GenerationParts["onProgress"]) =>
      generator.carryOut(ctx, signal, async (parts) => {
        await refreshFleet();
        return generateScript(ctx, input, {
          ...parts,
          state,
          sleep: (durationMs, ended) => sleep(durationMs, undefined, { signal: ended }),
          onProgress,
        });
      });
    return wantsEvents(request.headers.accept)
      ? streamGeneration(reply, services, generate)
      : reply.code(200).send(await generate(() => undefined));
  };
}

function wantsEvents(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((type) => type.trim().startsWith("text/event-stream"));
}

function streamGeneration(
  reply: FastifyReply,
  { clock, log }: Services,
  generate: (onProgress: GenerationParts["onProgress"]) => Promise<GeneratedScript>,
): FastifyReply {
  const stream = new PassThrough();
  const send = ({ name, data }: ScriptGenerationEvent) =>
    stream.writable && stream.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  void generate((progress) =>
    send({ name: "progress", data: { ...progress, at: new Date(clock.nowMs()).toISOString() } }),
  )
    .then((data) => send({ name: "result", data }))
    .catch((error: unknown) => {
      if (!(error instanceof DomainError)) log.error({ err: error }, "a script could not be generated");
      send({ name: "error", data: errorData(error) });
    })
    .finally(() => stream.end());
  return reply.code(200).headers(EVENT_HEADERS).send(stream);
}

function errorData(error: unknown): Extract<ScriptGenerationEvent, { name: "error" }>["data"] {
  if (!(error instanceof DomainError))
    return { error: "Internal error; the service's log has the details", status: 500 };
  const { status, body } = errorAnswer(error);
  const reasons = body.details ? problemsOf(body.details) : [];
  return {
    error: reasons.length > 0 ? `${body.error}: ${reasons.join("; ")}` : body.error,
    status,
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
  };
}
