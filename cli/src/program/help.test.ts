import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

it.each([[["--help"]], [["monitors"]], [["help", "status"]], [["status", "--help"]], [[]]])(
  "%j in --json is one object, too",
  async (args) => {
    const ran = await runSvc([...args, "--json"]);
    expect([ran.code, ran.json()]).toEqual([
      0,
      { ok: true, data: { help: expect.stringContaining("Usage: svc") } },
    ]);
  },
);
