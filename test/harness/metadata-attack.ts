/**
 * A program for a network namespace without a way out: stands in for the cloud's metadata services and lets a script
 * and a page look for them, as an agent that allows private addresses would. Prints one line, `report <JSON>`.
 */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { linesOf, openBrowserRuntime, resultOf, runBrowserCheck } from "./browser.ts";

const METADATA = ["http://169.254.169.254/", "http://[fd00:ec2::254]/"];
const SPELLINGS = [
  ...METADATA,
  "http://[::ffff:169.254.169.254]/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
];

const reached: string[] = [];
const standIn = http.createServer((request, response) => {
  reached.push(`${request.headers.host}${request.url}`);
  response.setHeader("access-control-allow-origin", "*").end("credentials of the machine");
});
standIn.listen(80, "::");
await once(standIn, "listening");

/** A site of the private network, which may be reached, and sends its visitors on. */
const site = http.createServer((request, response) => {
  const to = new URL(request.url ?? "/", "http://site").searchParams.get("to");
  if (to === null) response.setHeader("content-type", "text/html").end("<title>a site</title>");
  else response.writeHead(302, { location: to }).end();
});
site.listen(0, "127.0.0.1");
await once(site, "listening");
const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;

const control = await Promise.all(METADATA.map(async (url) => (await fetch(url)).text()));
reached.length = 0;

const script = `
  import http from "node:http";
  const answer = (text: unknown) => (String(text).includes("credentials") ? "REACHED" : "refused");
  const attempt = async (name: string, get: () => Promise<unknown>) =>
    console.log(name + " " + answer(await get().catch(() => "refused")));
  const text = async (answer: any) => answer?.text();
  for (const url of ${JSON.stringify(SPELLINGS)}) {
    const redirect = ${JSON.stringify(siteUrl)} + "?to=" + encodeURIComponent(url);
    await attempt("goto " + url, async () => text(await page.goto(url)));
    await attempt("request " + url, async () => text(await page.request.get(url)));
    await attempt("redirect " + url, async () => text(await page.goto(redirect)));
    await attempt("request redirect " + url, async () => text(await page.request.get(redirect)));
  }
  // Error pages of the attempts before may still be on their way, and end each navigation of the page they belong to.
  const fresh = await context.newPage();
  await fresh.goto(${JSON.stringify(siteUrl)});
  for (const url of ${JSON.stringify(METADATA)}) {
    await attempt("fetch in the page " + url, () => fresh.evaluate((to) => fetch(to).then((r) => r.text()), url));
    await attempt("own socket " + url, () => new Promise((resolve, reject) =>
      http.get(url, (answer) => answer.on("data", (chunk) => resolve(chunk))).on("error", reject)));
  }`;

const runtime = openBrowserRuntime();
try {
  const scripted = await runBrowserCheck(runtime, { browserMode: "scripted", script, timeoutMs: 120_000 });
  const result = resultOf(scripted);
  const report = {
    control,
    lines: linesOf(result, "script"),
    reached,
    error: result.detail?.errorMessage ?? "",
  };
  console.log(`report ${JSON.stringify(report)}`);
} finally {
  await runtime.close();
}
process.exit(0);
