/**
 * The one seam to a language model: instructions and an input go in, a text comes out. Time, sizes and retries are bounded here,
 * and requests leave by the egress policy, to the operator's endpoint alone. What may be said to a model is decided where it is
 * asked; nothing is sent that is not handed in here.
 */
import { createEgress, type EgressOptions, fetchGuarded } from "@svc/egress";
import type { LanguageModel as SdkModel } from "ai";
import { VERSION } from "../version.ts";
import { PROVIDERS } from "./providers/registry.ts";
import type { LanguageModelSettings } from "./settings.ts";

/** A question to a language model. */
interface ModelRequest {
  /** The task, in our own words; never a user's or a target's text. */
  instructions: string;
  /** The data that the task is about, which may hold texts of others. */
  input: string;
  /** Longest answer, tokens. */
  outputTokensMax: number;
  /** Longest time for the answer, retries included, ms; absent: that of the settings. */
  timeoutMs?: number;
  /** Gives the question up when it aborts. */
  signal?: AbortSignal;
}

/** Tokens of a question and its answer, by the endpoint's own count where it gives one. */
export interface TokenUse {
  inputTokens: number;
  outputTokens: number;
}

/** Counts what a model costs, and ends that at the operator's limit. */
export interface TokenMeter {
  /** @throws Error, with a sentence for the log and for people, when no further question may be asked */
  assertMayAsk(): Promise<void>;
  note(use: TokenUse): Promise<void>;
}

/** A language model that the operator has set up. Its `name` is shown with what it wrote. */
export interface LanguageModel {
  name: string;
  /**
   * Returns the model's text, as it came.
   * @throws Error of any kind when there is no complete answer within the time limit
   */
  write(request: ModelRequest): Promise<string>;
}

/** Longest single request; the signal of its question usually ends it earlier. */
const REQUEST_MS_MAX = 120_000;
/** Largest question; a few pages. */
const REQUEST_BYTES_MAX = 256 * 1024;
/** Largest answer of the endpoint. */
const ANSWER_BYTES_MAX = 512 * 1024;
/** Tries after the first, for answers that say that trying again may help; all within the time limit. */
const RETRIES = 2;

/**
 * Returns the model that the settings name. Nothing is loaded or connected to before the first question.
 * @param way tests hand in the way out
 */
export function openLanguageModel(
  settings: LanguageModelSettings,
  { meter, ...way }: { meter?: TokenMeter } & Pick<EgressOptions, "resolve" | "connect"> = {},
): LanguageModel {
  const fetch = guardedFetch(way);
  let opened: Promise<SdkModel> | undefined;
  return {
    name: settings.model,
    write: async ({ instructions, input, outputTokensMax, timeoutMs = settings.timeoutMs, signal }) => {
      await meter?.assertMayAsk();
      opened ??= PROVIDERS[settings.provider]().then(({ open }) => open(settings, fetch));
      const { generateText } = await import("ai");
      // Its warnings would go to stdout; what the model wrote is judged by whoever asked.
      globalThis.AI_SDK_LOG_WARNINGS = false;
      const model = await opened;
      const ends = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
      const { text, finishReason, usage } = await withoutContents(() =>
        generateText({
          model,
          system: instructions,
          prompt: input,
          temperature: 0,
          maxOutputTokens: outputTokensMax,
          maxRetries: RETRIES,
          abortSignal: AbortSignal.any(ends),
        }),
      ).catch(async (error: unknown) => {
        // The endpoint may have worked on a question that was given up, and asks to be paid for it.
        if (ends.some(({ aborted }) => aborted))
          await meter?.note({ inputTokens: tokensOf(instructions + input), outputTokens: 0 });
        throw error;
      });
      await meter?.note({
        inputTokens: usage.inputTokens ?? tokensOf(instructions + input),
        outputTokens: usage.outputTokens ?? tokensOf(text),
      });
      if (finishReason === "length")
        throw new Error(`the language model wrote more than ${outputTokensMax} tokens`);
      return text;
    },
  };
}

/** Estimates the tokens of a text where the endpoint does not count them: about four characters each in English. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Headers of an answer that the SDK reads: when to try again is among them. */
const KEPT_HEADERS = ["content-type", "retry-after", "retry-after-ms"];

/** Passes errors on by their messages alone: the SDK's hold the whole question and answer, which belong in no log. */
async function withoutContents<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const { name, message } = error as Error;
    throw new Error(`the language model did not answer: ${name}: ${message.slice(0, 300)}`);
  }
}

/** Returns a `fetch` through the egress policy. The address is the operator's and may be private; redirects are not followed. */
function guardedFetch(way: Pick<EgressOptions, "resolve" | "connect">): typeof fetch {
  const egress = createEgress({ ...way, allowPrivate: true });
  return async (input, init) => {
    const body = String(init?.body ?? "");
    if (Buffer.byteLength(body) > REQUEST_BYTES_MAX)
      throw new Error(`a question to the language model has more than ${REQUEST_BYTES_MAX} bytes`);
    const response = await fetchGuarded(egress, String(input instanceof Request ? input.url : input), {
      method: init?.method ?? "GET",
      headers: {
        ...Object.fromEntries(new Headers(init?.headers)),
        "user-agent": `svc/${VERSION}`,
        "content-length": String(Buffer.byteLength(body)),
      },
      body,
      timeoutMs: REQUEST_MS_MAX,
      maxBytes: ANSWER_BYTES_MAX,
      maxRedirects: 0,
      ...(init?.signal && { signal: init.signal }),
    });
    const headers = new Headers({ "content-type": "application/json" });
    for (const name of KEPT_HEADERS) {
      const value = response.headers[name];
      if (value !== undefined) headers.set(name, String(value));
    }
    return new Response(new Uint8Array(response.body), { status: response.status, headers });
  };
}
