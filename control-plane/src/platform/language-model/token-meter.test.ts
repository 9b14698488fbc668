import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { serviceModel } from "./token-meter.ts";
import { readTokens } from "./token-store.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: () => {} });
});
afterAll(() => test.close());

it("the operator's tokens of a month are counted, and beyond them nothing is asked", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      asked++;
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
          usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const languageModel = {
    provider: "openai" as const,
    model: "m",
    apiKey: undefined,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    timeoutMs: 5_000,
    tokensPerMonthMax: 150,
  };
  const model = serviceModel({ ...test.services, config: { ...test.services.config, languageModel } });
  const question = { instructions: "Be brief.", input: "Is it?", outputTokensMax: 50 };
  expect(await model?.write(question)).toBe("Yes.");
  expect(await model?.write(question)).toBe("Yes.");
  expect(await readTokens(test.services.knex, test.clock.nowMs())).toBe(200);
  await expect(model?.write(question)).rejects.toThrow(
    /used the 150 tokens that SVC_LLM_TOKENS_PER_MONTH_MAX allows/,
  );
  expect(asked).toBe(2);
});
