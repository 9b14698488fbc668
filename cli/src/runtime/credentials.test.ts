import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

it.each([
  ["--api-url", ["--api-url", "https://me:hunter2@svc.example.com"], {}],
  ["SVC_API_URL", [], { SVC_API_URL: "https://hunter2@svc.example.com" }],
])("an address with a password in %s is refused, and the password not shown", async (where, args, env) => {
  const ran = await runSvc(["status", ...args], {
    env: { SVC_API_KEY: "sk_test", ...env } as Record<string, string>,
  });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`${where} holds a user name or a password`);
  expect(ran.stdout + ran.stderr).not.toContain("hunter2");
});
