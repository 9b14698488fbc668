import { expect, it } from "vitest";
import { svcWith } from "../../../../test-support/svc-with.ts";

const hook = (id: string, fingerprint?: string) => ({
  id,
  type: "webhook",
  address: "https://hooks.example/***",
  ...(fingerprint && { fingerprint }),
  createdAt: "2026-05-01T00:00:00.000Z",
  confirmedAt: "2026-05-01T00:00:00.000Z",
});
const answers = {
  "GET /api/status-pages": { statusPages: [{ id: "spg_1", slug: "shop", title: "Shop" }] },
  "GET /api/status-pages/spg_1/subscribers": {
    subscribers: [hook("ssub_1", "3f9a12c0"), hook("ssub_2", "77b0aa01"), hook("ssub_3")],
  },
  "DELETE /api/status-pages/spg_1/subscribers/ssub_2": { deleted: true },
};
const svc = (...args: string[]) => svcWith(answers, ["status-pages", "subscribers", ...args]);

it("lists webhooks of one host with what tells them apart", async () => {
  const { stdout } = await svc("list", "shop");
  expect(stdout).toMatch(/hooks\.example\/\*\*\* \(3f9a12c0\) .*ssub_1/);
  expect(stdout).toMatch(/hooks\.example\/\*\*\* \(77b0aa01\) .*ssub_2/);
  expect(stdout).toMatch(/hooks\.example\/\*\*\* +webhook .*ssub_3/);
});

it("removes the one that is named as the list shows it, and none by what several have", async () => {
  const { code, stdout } = await svc("delete", "shop", "https://hooks.example/*** (77b0aa01)", "--yes");
  expect([code, stdout]).toEqual([0, "Removed https://hooks.example/*** (77b0aa01).\n"]);
  const several = await svc("delete", "shop", "https://hooks.example/***", "--yes");
  expect([several.code, several.stderr]).toEqual([1, expect.stringContaining("give the id")]);
});
