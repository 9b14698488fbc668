import { expect, it } from "vitest";
import { aContext } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { firstRequest } from "../http/request.ts";
import { runHttpAttempt } from "../http-attempt/attempt.ts";
import { siteOf } from "./site.ts";

it("probes that wait for one document read it in turns of the event loop of their own", async () => {
  const url = await httpServer((_request, response) => response.end("User-agent: *"));
  const context = aContext();
  const request = firstRequest({ url, method: "GET", headers: {} }, { userAgent: "svc" });
  const redirects = { followRedirects: false, maxRedirects: 0 };
  const limits = { timeoutMs: 10_000, connection: undefined };
  const plan = { ...limits, request, redirects, keepsBody: true, readsBody: false, assertions: [] };
  const site = siteOf(await runHttpAttempt(plan, context), limits, context);
  let turn = 0;
  const countTurns = () => {
    turn++;
    counting = setImmediate(countTurns);
  };
  let counting = setImmediate(countTurns);
  const reads = [
    site.fetch("/robots.txt"),
    site.fetch("/robots.txt"),
    site.robots(),
    site.robots(),
    site.pageDocument(),
  ];
  const turns = await Promise.all(reads.map((read) => read.then(() => turn)));
  clearImmediate(counting);
  expect(new Set(turns).size).toBe(reads.length);
});
