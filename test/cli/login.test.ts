/** Signing the real command line in at a real control plane, the person's part played over the page's own routes. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { svc } from "../harness/cli.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { decideDeviceCode } from "../harness/device-code.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
let controlPlane: ControlPlane;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

/** A program in place of the desktop's: notes what it was asked to open. */
function recordingBrowser(folder: string): { env: Record<string, string>; openedFile: string } {
  const [bin, openedFile] = [join(folder, "bin"), join(folder, "opened")];
  mkdirSync(bin);
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$1" > ${openedFile}\n`);
  chmodSync(join(bin, "xdg-open"), 0o755);
  return { env: { PATH: `${bin}${delimiter}${process.env.PATH}`, DISPLAY: ":99" }, openedFile };
}

it("login, work and logout --revoke with the real service; the key is worthless afterwards", async () => {
  const cwd = stack.folder();
  const browser = recordingBrowser(cwd);
  const env = { SVC_API_URL: controlPlane.url };
  let decided: Promise<void> | undefined;
  const login = await svc(["login", "--json"], {
    cwd,
    env: { ...env, ...browser.env },
    onOutput: (output) => {
      const event = /^\{"event":"awaiting_consent".*\}$/m.exec(output)?.[0];
      if (event) decided ??= decideDeviceCode(controlPlane, JSON.parse(event).verification_url, "authorize");
    },
  });
  await decided;
  const path = join(cwd, ".svc", "credentials");
  expect(login).toMatchObject({ code: 0 });
  expect(JSON.parse(login.stdout)).toMatchObject({
    ok: true,
    data: { apiUrl: controlPlane.url, credentialsPath: path },
  });
  const opened = await until("the browser was opened", () => {
    const isThere = statSync(browser.openedFile, { throwIfNoEntry: false });
    return isThere && readFileSync(browser.openedFile, "utf8").trim();
  });
  expect(opened).toMatch(new RegExp(`^${controlPlane.url}/cli/authorize\\?code=[A-Z]{4}-[A-Z]{4}$`));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { apiKey } = JSON.parse(readFileSync(path, "utf8"));
  expect(login.stdout + login.stderr).not.toContain(apiKey);

  // The address comes from the file now.
  expect(await svc(["monitors", "list", "--json"], { cwd })).toMatchObject({ code: 0 });
  const again = await svc(["login", "--json"], { cwd });
  expect(JSON.parse(again.stdout).data).toEqual({ alreadyLoggedIn: true, credentialsPath: path });

  const logout = await svc(["logout", "--revoke", "--json"], { cwd });
  expect(JSON.parse(logout.stdout).data).toMatchObject({ removed: true, revoked: true, revokeError: null });
  expect((await svc(["monitors", "list"], { cwd, env })).code).toBe(2);
  const revoked = await svc(["monitors", "list"], { cwd, env: { ...env, SVC_API_KEY: apiKey } });
  expect(revoked.code).toBe(2);
});

it("a declined code is an error, and Ctrl+C while it waits is 130; neither leaves a file", async () => {
  const cwd = stack.folder();
  const env = { SVC_API_URL: controlPlane.url, CI: "true" };
  let decided: Promise<void> | undefined;
  const declined = await svc(["login"], {
    cwd,
    env,
    onOutput: (output) => {
      const url = /^Confirm it at (\S+)\n/m.exec(output)?.[1];
      if (url) decided ??= decideDeviceCode(controlPlane, url, "deny");
    },
  });
  await decided;
  expect(declined).toMatchObject({ code: 1, stdout: "" });
  expect(declined.stderr).toContain("declined");
  const interrupted = await svc(["login"], {
    cwd,
    env,
    onOutput: (output, kill) => {
      // Once: a second Ctrl+C would end it at once.
      if (output.includes("Waiting for you") && !output.includes("interrupted")) kill("SIGINT");
    },
  });
  expect(interrupted).toMatchObject({ code: 130, signal: null });
  expect(statSync(join(cwd, ".svc", "credentials"), { throwIfNoEntry: false })).toBeUndefined();
});
