/** The generation of a script: begun, followed event by event, and cancelled. */
import {
  type GeneratedScript,
  type GenerateScript,
  SCRIPT_GENERATION_LIMITS,
  type ScriptGenerationEvent,
  SECOND_MS,
  type specRoutes,
} from "@svc/contract";
import { useEffect, useRef, useState } from "react";
import { RequestError, requestEvents, type StreamedEvent } from "../../../api/request.ts";

/** Longest wait, ms: the service ends earlier, a connection that died without a word does not. */
const WAIT_MS = (SCRIPT_GENERATION_LIMITS.secondsMax + 15) * SECOND_MS;

/** A part of a generation that began. */
export type GenerationProgress = Extract<ScriptGenerationEvent, { name: "progress" }>["data"];

/** How a generation stands, with all parts that began so far. */
export type GenerationState = { progress: readonly GenerationProgress[] } & (
  | { is: "idle" | "underWay" | "cancelled" }
  | { is: "ended"; result: GeneratedScript }
  | { is: "failed"; error: Error }
);

/** Returns how the newest generation stands, and what begins and cancels one. Leaving the page cancels it, too. */
export function useGeneration() {
  const [state, setState] = useState<GenerationState>({ is: "idle", progress: [] });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (body: GenerateScript) => {
    const controller = new AbortController();
    running.current = controller;
    const progress: GenerationProgress[] = [];
    const show = (next: GenerationState) => {
      if (!controller.signal.aborted) setState(next);
    };
    show({ is: "underWay", progress: [] });
    try {
      const result = await generate(body, controller.signal, (one) => {
        progress.push(one);
        show({ is: "underWay", progress: [...progress] });
      });
      show({ is: "ended", progress, result });
    } catch (error) {
      show({ is: "failed", progress, error: error as Error });
    }
  };
  const cancel = () => {
    running.current?.abort();
    setState(({ progress }) => ({ is: "cancelled", progress }));
  };
  return { state, start, cancel };
}

async function generate(
  body: GenerateScript,
  signal: AbortSignal,
  onProgress: (progress: GenerationProgress) => void,
): Promise<GeneratedScript> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  let result: GeneratedScript | undefined;
  let failure: RequestError | undefined;
  const onEvent = (streamed: StreamedEvent) => {
    const event = streamed as ScriptGenerationEvent;
    if (event.name === "progress") onProgress(event.data);
    else if (event.name === "result") result = event.data;
    else failure = errorOf(event.data);
  };
  await requestEvents<typeof specRoutes.generate>("POST", "/api/checks/generate", {
    body,
    signal: AbortSignal.any([signal, timeout]),
    onEvent,
  }).catch((error: unknown) => {
    throw timeout.aborted ? new RequestError(0, "The service said nothing for too long; try again.") : error;
  });
  if (result) return result;
  throw (
    failure ??
    new RequestError(0, "The connection to the service ended before there was a script; try again.")
  );
}

function errorOf({
  error,
  status,
  retryAfterSeconds,
}: Extract<ScriptGenerationEvent, { name: "error" }>["data"]): RequestError {
  return new RequestError(status, error, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
