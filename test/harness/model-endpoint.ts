/** An endpoint that speaks OpenAI's protocol as documented, and answers what a test says. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The parts of an input that tests look at. */
interface QuestionInput {
  page?: string;
  lastTry?: { error?: string; line?: number; pageThen?: string };
}

/** A question as the endpoint got it. */
interface AskedQuestion {
  instructions: string;
  /** The input, parsed. */
  input: QuestionInput;
}

/** Answers a question: the model's text; `null` for no answer at all; a number for an error of that status. */
export type ModelAnswer = (question: AskedQuestion) => string | number | null;

/** Starts the endpoint. `asked` grows with each question. */
export async function startModelEndpoint() {
  const asked: AskedQuestion[] = [];
  let answer: ModelAnswer = () => 500;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
    const textOf = (role: string) => {
      const content = messages.find((message) => message.role === role)?.content;
      return typeof content === "string" ? content : JSON.stringify(content ?? "");
    };
    const question = { instructions: textOf("system"), input: parsed(textOf("user")) };
    asked.push(question);
    const text = answer(question);
    if (text === null) return;
    response.writeHead(typeof text === "number" ? text : 200, { "content-type": "application/json" });
    if (typeof text === "number") return response.end('{"error":{"message":"no"}}');
    response.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1_700_000_000,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    asked,
    /** Settings of a control plane that asks this endpoint. */
    environment: { SVC_LLM_PROVIDER: "openai", SVC_LLM_MODEL: "test-model", SVC_LLM_BASE_URL: url },
    answerWith(next: ModelAnswer) {
      asked.splice(0);
      answer = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function parsed(text: string): QuestionInput {
  try {
    return JSON.parse(text);
  } catch {
    return { page: text };
  }
}
