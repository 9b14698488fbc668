import { describe, expect, it } from "vitest";
import { isPagePath, pageAt, pagePath, pages } from "./pages.ts";

describe("pages", () => {
  it("have paths and titles of their own", () => {
    const all = Object.values(pages);
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  });

  it("are found by their paths, whatever the values of their parameters", () => {
    expect(pagePath("result", { id: "chk_1", resultId: "res_2" })).toBe("/checks/chk_1/results/res_2");
    for (const name of Object.keys(pages) as (keyof typeof pages)[]) {
      const path = pagePath(name, {
        id: "a/b ü",
        month: "2026-10",
        resultId: "c?d",
        runId: "e#f",
        noticeId: "g%h",
      } as never);
      expect(pageAt(path)).toBe(name);
    }
    for (const path of ["", "/nope", "/checks/", "/checks/a/b", "//checks", "/api/checks", "/checks/chk_1/"])
      expect([path, pageAt(path)]).toEqual([path, undefined]);
  });

  it("are the only paths that a sign-in leads back to", () => {
    for (const path of ["/", "/checks", "/checks/chk_1?range=7d", "/incidents/inc_1"])
      expect([path, isPagePath(path)]).toEqual([path, true]);
    for (const path of [
      "//evil.test",
      "https://evil.test/",
      "/\\evil.test",
      "/api/checks",
      "javascript:alert(1)",
      "",
    ])
      expect([path, isPagePath(path)]).toEqual([path, false]);
  });
});
