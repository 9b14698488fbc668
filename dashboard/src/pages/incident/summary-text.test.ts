import { expect, it } from "vitest";
import { summaryText } from "./summary-text.ts";

it("a summary names cause, evidence, checks and changes, and no text of a target becomes formatting", () => {
  const triage = {
    incident: {
      title: "2 checks failing on [evil](https://evil.example)\n# now",
      state: "open",
      severity: "critical",
      openedAt: "2026-03-01T12:00:00.000Z",
      hypothesis: {
        summary: "<b>down</b>.",
        confidence: 0.9,
        ruledIn: ["error_category: dns in 1 of 1"],
        ruledOut: [],
      },
    },
    alerts: [{ checkName: "Cart", state: "active" }],
  } as unknown as Parameters<typeof summaryText>[0];
  const changes = [
    { kind: "deployment", at: "2026-03-01T11:55:00.000Z", until: null, title: "shop 2", subjectId: "dep_1" },
  ] as Parameters<typeof summaryText>[1];
  expect(summaryText(triage, changes, "https://svc.example/incidents/inc_a")).toBe(
    [
      "## 2 checks failing on \\[evil\\](https://evil.example) \\# now",
      "",
      "Critical, open, since 2026-03-01T12:00:00.000Z. [Triage](https://svc.example/incidents/inc_a)",
      "",
      "**Likely cause** (90 %, very likely): \\<b\\>down\\</b\\>.",
      "",
      "**Speaks for it**",
      "- Failure: the name could not be resolved in 1 of 1",
      "",
      "**Affected**",
      "- Cart: alert active",
      "",
      "**Changed in the hour before**",
      "- 2026-03-01T11:55:00.000Z shop 2",
      "",
    ].join("\n"),
  );
});
