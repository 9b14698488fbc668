/** Answers requests for scripts: whole, or as a stream of events for those who watch it come about. */
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DomainError,
  type GeneratedScript,
  problemsOf,
  SCRIPT_GENERATION_LIMITS,
  type ScriptGenerationEvent,
  SECOND_MS,
} from "@svc/contract";
import type { FastifyReply } from "fastify";
import type { WriteScript } from "../checks/api-specs/routes.ts";
import type { TestRunFleet } from "../gateway/test-runs/routes.ts";
import { monotonicMs } from "../platform/clock.ts";
import { errorAnswer } from "../platform/http/errors.ts";
import { contextOf } from "../platform/http/serve.ts";
import { serviceModel } from "../platform/language-model/token-meter.ts";
import type { Services } from "../platform/services.ts";
import { Generations } from "./admission.ts";
import { type GenerationParts, generateScript } from "./generate-script.ts";

/** Time after which a generation ends with what it has, ms: a few seconds less than is promised. */
const GENERATION_MS_MAX = SCRIPT_GENERATION_LIMITS.secondsMax * SECOND_MS - 6_000;

const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  // A proxy that changes or collects the answer would hold events back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Returns the function that answers requests for scripts; undefined when there is no language model. */
export function scriptWriter(
  services: Services,
  { state, refreshFleet }: TestRunFleet,
): WriteScript | undefined {
  const model = serviceModel(services);
  if (!model) return undefined;
  const generations = new Generations();
  return async (request, reply, input) => {
    const ctx = contextOf(services, request);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort(new Error("the client left")));
    const generate = (onProgress: GenerationParts["onProgress"]) =>
      generations.admit(ctx, async (noteAsked) => {
        await refreshFleet();
        const endMs = monotonicMs() + GENERATION_MS_MAX;
        return generateScript(ctx, input, {
          model: {
            ...model,
            write: (question) => {
              noteAsked();
              return model.write(question);
            },
          },
          state,
          sleep: (durationMs, signal) => sleep(durationMs, undefined, { signal }),
          signal: AbortSignal.any([left.signal, AbortSignal.timeout(GENERATION_MS_MAX)]),
          remainingMs: () => endMs - monotonicMs(),
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
