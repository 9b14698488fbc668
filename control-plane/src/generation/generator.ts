/** Carries out generations of every kind: in the turn of their team, within their time, and with what the model costs counted. */
import { DomainError, SCRIPT_GENERATION_LIMITS, SECOND_MS } from "@svc/contract";
import type { FastifyReply } from "fastify";
import { monotonicMs } from "../platform/clock.ts";
import type { LanguageModel } from "../platform/language-model/language-model.ts";
import { serviceModel, TokensUsedUp } from "../platform/language-model/token-meter.ts";
import type { Services } from "../platform/services.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { Generations } from "./admission.ts";
import type { Prompt } from "./prompts.ts";

/** Time after which a generation ends with what it has, ms: a few seconds less than is promised. */
const GENERATION_MS_MAX = SCRIPT_GENERATION_LIMITS.secondsMax * SECOND_MS - 6_000;
/** Longest wait for one answer of the model, ms. */
const ANSWER_MS_MAX = 60_000;

/** The model and the bounds of one generation. */
export interface ModelParts {
  model: LanguageModel;
  /** Aborts when nobody waits for the answer any more, or the time is over. */
  signal: AbortSignal;
  /** Time that is left, ms. */
  remainingMs: () => number;
}

/** Carries out the generations of one replica. */
export class Generator {
  readonly #model: LanguageModel;
  readonly #generations = new Generations();

  constructor(model: LanguageModel) {
    this.#model = model;
  }

  /**
   * Carries out a generation for the context's team.
   * @param left aborts when the client has left
   * @throws DomainError `rate_limited` as {@link Generations.admit}; whatever the work throws
   */
  carryOut<Outcome>(
    ctx: TeamContext,
    left: AbortSignal,
    work: (parts: ModelParts) => Promise<Outcome>,
  ): Promise<Outcome> {
    const model = this.#model;
    return this.#generations.admit(ctx, (noteAsked) => {
      const endMs = monotonicMs() + GENERATION_MS_MAX;
      return work({
        model: {
          ...model,
          write: async (question) => {
            try {
              const answer = await model.write(question);
              noteAsked();
              return answer;
            } catch (error) {
              // The operator's limit is met before anything is asked; whatever else fails may have cost something.
              if (!(error instanceof TokensUsedUp)) noteAsked();
              throw error;
            }
          },
        },
        signal: AbortSignal.any([left, AbortSignal.timeout(GENERATION_MS_MAX)]),
        remainingMs: () => endMs - monotonicMs(),
      });
    });
  }
}

/** Returns what carries out generations; undefined where the operator has set up no language model. */
export function createGenerator(services: Services): Generator | undefined {
  const model = serviceModel(services);
  return model && new Generator(model);
}

/** Returns a signal that aborts when the client leaves before it has its answer. */
export function leftSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  reply.raw.once("close", () => left.abort(new Error("the client left")));
  return left.signal;
}

/** A question of one of our prompts. */
interface PromptedQuestion {
  prompt: Prompt;
  /** Sent as JSON. */
  input: object;
  outputTokensMax: number;
}

/** Returns the model's answer. @throws DomainError `unavailable` when it gives none */
export async function askModel(
  { services }: TeamContext,
  { prompt, input, outputTokensMax }: PromptedQuestion,
  { model, signal, remainingMs }: ModelParts,
): Promise<string> {
  try {
    return await model.write({
      instructions: prompt.text,
      input: JSON.stringify(input),
      outputTokensMax,
      timeoutMs: Math.max(1, Math.min(ANSWER_MS_MAX, remainingMs())),
      signal,
    });
  } catch (error) {
    services.log.warn(
      { err: error, model: model.name, prompt: prompt.version },
      "the language model gave no answer",
    );
    throw new DomainError(
      "unavailable",
      error instanceof TokensUsedUp ? error.message : "The language model gave no answer in time; try again",
      { cause: error },
    );
  }
}
