/**
 * Loaded before a program that calls the REST API by `fetch`: writes each answer that it gets, as a line of JSON, to
 * the file that TEST_ANSWERS_FILE names.
 */
import { appendFileSync } from "node:fs";

const { fetch: send } = globalThis;

globalThis.fetch = async (input, init) => {
  const response = await send(input, init);
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const answer = {
    method: init?.method ?? "GET",
    path: pathname + search,
    status: response.status,
    contentType: response.headers.get("content-type") ?? undefined,
    body: await response.clone().text(),
  };
  appendFileSync(process.env.TEST_ANSWERS_FILE, `${JSON.stringify(answer)}\n`);
  return response;
};
