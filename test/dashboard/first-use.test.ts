/** A newcomer's first hour: a check that logs in to a page, a mail when that breaks, and the check taken home as code. No manual. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { SMTPServer } from "smtp-server";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser, hasSandbox, SANDBOX_ADVICE } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { temporaryFolder } from "../harness/folders.ts";

/** The site with a login, and the mails that arrive. */
const site = { url: "", isBroken: false };
const mails: string[] = [];

const dashboard = setUpDashboardTests({
  refusals: [400],
  environment: async (stack) => {
    const web = createServer((request, response) => {
      response.setHeader("content-type", "text/html");
      if (request.url?.startsWith("/welcome"))
        return response
          .writeHead(site.isBroken ? 500 : 200)
          .end(site.isBroken ? "Sorry" : "<h1>Hello, ann</h1>");
      response.end(
        '<form action="/welcome"><label>Name <input name="n"></label><label>Password <input type="password" name="p"></label><button>Log in</button></form>',
      );
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    site.url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, _session, done) {
        let text = "";
        stream.on("data", (chunk) => {
          text += chunk;
        });
        stream.on("end", () => {
          mails.push(text);
          done();
        });
      },
    });
    smtp.on("error", () => undefined);
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
    stack.atEnd(() => {
      web.closeAllConnections();
      web.close();
      smtp.close();
    });
    const { port } = smtp.server.address() as AddressInfo;
    return { SVC_SMTP_URL: `smtp://127.0.0.1:${port}`, SVC_SMTP_FROM: "svc@example.com" };
  },
});

const SCRIPT = (url: string) => `// @step: Log in
await page.goto(${JSON.stringify(url)});
await page.getByLabel("Name").fill("ann");
await page.getByLabel("Password").fill("secret");
await page.getByRole("button", { name: "Log in" }).click();
// @step: Greeted
await expect(page.getByRole("heading", { name: "Hello, ann" })).toBeVisible({ timeout: 5000 });
`;

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

describe.runIf(hasBrowser && hasSandbox)(`a newcomer${BROWSER_ADVICE}${SANDBOX_ADVICE}`, () => {
  it("makes a check that logs in, is informed by mail that it broke, finds out why, and takes it home as code", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1440, height: 900 } });
    await signIn(page, pages.overview.path);
    // The empty overview says how to begin.
    await shot(page, "1-overview");
    await page.getByRole("link", { name: "New check" }).click();
    const form = page.getByRole("form", { name: "Check" });
    await form.getByRole("combobox", { name: "Type" }).first().selectOption("browser");
    await form.getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
    await form.getByRole("textbox", { name: "Script" }).fill(SCRIPT(site.url));
    await form.getByRole("textbox", { name: "Name", exact: true }).fill("Log in");
    await form.getByRole("checkbox", { name: /Virginia/ }).check();
    await form.getByRole("spinbutton", { name: "Frequency in seconds" }).fill("60");
    const trial = page.getByRole("complementary", { name: "Test run" });
    await trial.getByRole("button", { name: "Test run" }).click();
    await trial
      .getByRole("region", { name: /Virginia/ })
      .getByText(/^Success 200/)
      .waitFor();
    await shot(page, "2-test-run");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
    await shot(page, "3-check");

    // Who is notified? The page of the check leads to a rule, the rule to a channel, and nothing written is lost on the way.
    await page.getByRole("tab", { name: "Alerts" }).click();
    await page.getByRole("link", { name: "New alert rule" }).click();
    const rule = page.getByRole("form", { name: "Alert rule" });
    await rule.getByRole("spinbutton", { name: "Count" }).fill("1");
    await shot(page, "4-rule");
    const [channels] = await Promise.all([
      page.context().waitForEvent("page"),
      rule.getByRole("link", { name: "Make a channel" }).click(),
    ]);
    const channel = channels.getByRole("form", { name: "Channel" });
    await channel.getByRole("combobox", { name: "Type" }).selectOption("email");
    await channel.getByRole("textbox", { name: "Name", exact: true }).fill("Ann");
    await shot(channels, "5-channel");
    await channel.getByRole("textbox", { name: "Address 1" }).fill("ann@example.com");
    await channel.getByRole("button", { name: "Save" }).click();
    await channels.getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => mails.length).toBe(1);
    await channels.close();
    await rule.getByRole("checkbox", { name: /Ann/ }).check();
    expect(await rule.getByRole("spinbutton", { name: "Count" }).inputValue()).toBe("1");
    await rule.getByRole("button", { name: "Save" }).click();
    await page.getByRole("region", { name: "Alert rules" }).waitFor();

    site.isBroken = true;
    await page.getByRole("button", { name: "Run now" }).click();
    await expect.poll(() => mails.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(2);
    const mail = (mails[1] as string).replaceAll("=\r\n", "").replaceAll("=3D", "=");
    const link = /https?:\/\/[^\s">]*\/(?:incidents|alerts)\/\w+/.exec(mail)?.[0];
    expect(link, mail).toBeDefined();
    await page.goto(link as string);
    await page
      .getByText(/Log in/)
      .first()
      .waitFor();
    await shot(page, "6-informed");
    site.isBroken = false;

    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Checks" }).click();
    await page.getByRole("link", { name: "Log in" }).first().click();
    await page.getByRole("tab", { name: "As code" }).click();
    const { files } = await dashboard.controlPlane.ok<{ files: { path: string; text: string }[] }>(
      "GET",
      `/api/checks/${new URL(page.url()).pathname.split("/")[2]}/as-code`,
    );
    await expect
      .poll(() => page.getByRole("textbox", { name: "YAML" }).inputValue())
      .toContain("name: Log in");
    await shot(page, "7-as-code");
    const folder = temporaryFolder();
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    }
    const svc = join(import.meta.dirname, "../../bin/svc");
    expect(
      execFileSync(process.execPath, [svc, "validate"], { cwd: folder.path, encoding: "utf8" }),
    ).toContain("valid:");
    folder.remove();
    await page.context().close();
  }, 300_000);
});
