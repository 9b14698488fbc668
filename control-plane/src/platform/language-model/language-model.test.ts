import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openLanguageModel } from "./language-model.ts";
import type { LanguageModelSettings, LlmProvider } from "./settings.ts";

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what came
  body: any;
}

/** An endpoint that gives these answers in turn, the last one again and again, and what it was asked. */
async function endpoint(
  ...answers: { status?: number; headers?: Record<string, string>; text: string | null }[]
) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ path: request.url ?? "", headers: request.headers, body: body && JSON.parse(body) });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === undefined || answer.text === null) return;
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Answers as the vendors' documentation shows them. */
const SAYING: Record<LlmProvider, (text: string, stop?: string) => { text: string }> = {
  anthropic: (text, stop = "end_turn") => ({
    text: JSON.stringify({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text }],
      stop_reason: stop === "length" ? "max_tokens" : stop,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 3 },
    }),
  }),
  openai: (text, stop = "stop") => ({
    text: JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: stop }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    }),
  }),
};

const settings = (provider: LlmProvider, baseUrl: string, more = {}): LanguageModelSettings => ({
  provider,
  model: "m-1",
  apiKey: "key-of-the-model",
  baseUrl,
  timeoutMs: 5_000,
  tokensPerMonthMax: undefined,
  ...more,
});
const QUESTION = { instructions: "Be brief.", input: "What is it?", outputTokensMax: 50 };

it.each([
  ["anthropic", "/v1/messages", { "x-api-key": "key-of-the-model" }],
  ["openai", "/v1/chat/completions", { authorization: "Bearer key-of-the-model" }],
] as const)("%s is asked in its own protocol, with bounds", async (provider, path, headers) => {
  const { asked, baseUrl } = await endpoint(SAYING[provider]("It is down."));
  const model = openLanguageModel(settings(provider, baseUrl));
  expect(await model.write(QUESTION)).toBe("It is down.");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ path, headers, body: { model: "m-1", max_tokens: 50, temperature: 0 } });
  expect(JSON.stringify(asked[0]?.body)).toContain("Be brief.");
  expect(JSON.stringify(asked[0]?.body)).toContain("What is it?");
});

it("an endpoint of one's own needs no key", async () => {
  const { asked, baseUrl } = await endpoint(SAYING.openai("Yes."));
  expect(await openLanguageModel(settings("openai", baseUrl, { apiKey: undefined })).write(QUESTION)).toBe(
    "Yes.",
  );
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

it.each(["anthropic", "openai"] as const)("%s: a busy endpoint is asked again", async (provider) => {
  const busy = {
    status: 429,
    headers: { "retry-after-ms": "10" },
    text: '{"error":{"type":"rate_limit","message":"busy"}}',
  };
  const { asked, baseUrl } = await endpoint(busy, SAYING[provider]("Now."));
  // Without the endpoint's own word, the wait would be longer than the time limit.
  const model = openLanguageModel(settings(provider, baseUrl, { timeoutMs: 1_900 }));
  expect(await model.write(QUESTION)).toBe("Now.");
  expect(asked).toHaveLength(2);
});

it.each([
  ["a refused key, once", { status: 401, text: '{"error":{"message":"no"}}' }, 1],
  [
    "a redirect, which is not followed",
    { status: 302, headers: { location: "http://127.0.0.1:1/" }, text: "" },
    1,
  ],
  ["another protocol", { text: '{"output":"hm"}' }, 1],
  ["no JSON", { text: "<html>" }, 1],
  ["an answer that goes on and on", { text: `"${"x".repeat(600_000)}"` }, 1],
  ["a text that was cut at the limit", SAYING.openai("It is", "length"), 1],
] as const)("%s is an error", async (_, answer, times) => {
  const { asked, baseUrl } = await endpoint(answer);
  const error = await openLanguageModel(settings("openai", baseUrl))
    .write(QUESTION)
    .catch((one) => one);
  expect(error).toBeInstanceOf(Error);
  // Errors are logged: they must hold neither question nor answer.
  expect(inspect(error, { depth: 9 })).not.toMatch(/What is it|xxxxxxxx{300}/);
  expect(asked).toHaveLength(times);
});

it("an endpoint that does not answer is given up at the time limit, retries included", async () => {
  const { baseUrl } = await endpoint({ text: null });
  const asking = openLanguageModel(settings("openai", baseUrl, { timeoutMs: 300 })).write(QUESTION);
  await expect(asking).rejects.toThrow();
});

it("a question that is too large is not sent", async () => {
  const { asked, baseUrl } = await endpoint(SAYING.openai("Hm."));
  const large = { ...QUESTION, input: "x".repeat(300_000) };
  await expect(openLanguageModel(settings("openai", baseUrl)).write(large)).rejects.toThrow(
    /more than 262144 bytes/,
  );
  expect(asked).toEqual([]);
});
