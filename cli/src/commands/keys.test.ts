import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

it("keys tells where keys are managed, without a key and without a request", async () => {
  const { code, stdout } = await runSvc(["keys"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("in the dashboard")]);
});

it.each([[["create"]], [["list", "--json"]], [["delete", "key_1"]]])(
  "keys %j can't be done here",
  async (words) => {
    const { code, stdout, stderr } = await runSvc(["keys", ...words]);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining("in the dashboard")]);
  },
);
