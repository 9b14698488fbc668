/** The promise that nothing of a record is dropped in silence: a member that no source reads is noted. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { EXPORTS } from "../../test-support/exports/exports.ts";
import { imported } from "../../test-support/imported.ts";
import { importSources } from "./index.ts";

type Step = string | number;
/** Objects of the exports that a setting may stand in, as the number of the file and the way to them. */
const HOLDERS: Readonly<Record<string, readonly (readonly [file: number, ...steps: Step[]])[]>> = {
  checkly: [
    [0, 0],
    [0, 0, "request"],
    [0, 0, "request", "assertions", 0],
    [0, 0, "retryStrategy"],
    [0, 0, "alertSettings"],
    [0, 1],
    [0, 3],
    [0, 3, "heartbeat"],
    [0, 4, "request"],
    [1, 0],
    [1, 0, "apiCheckDefaults"],
    [2, 0],
  ],
  "uptime-kuma": [
    [0],
    [0, "notificationList", 0],
    [0, "monitorList", 1],
    [0, "monitorList", 2],
    [0, "monitorList", 5],
    [0, "monitorList", 7],
  ],
  datadog: [
    [0, "tests", 0],
    [0, "tests", 0, "config"],
    [0, "tests", 0, "config", "request"],
    [0, "tests", 0, "config", "request", "basicAuth"],
    [0, "tests", 0, "config", "assertions", 0],
    [0, "tests", 0, "options"],
    [0, "tests", 2, "config", "request"],
    [0, "tests", 5, "config", "steps", 0],
    [0, "tests", 5, "config", "steps", 0, "request"],
    [0, "tests", 5, "config", "steps", 0, "extractedValues", 0],
  ],
  grafana: [
    [0, "checks", 0],
    [0, "checks", 0, "settings", "http"],
    [0, "checks", 0, "settings", "http", "tlsConfig"],
    [0, "checks", 1, "settings", "ping"],
  ],
  gatus: [
    [0],
    [0, "endpoints", 0],
    [0, "endpoints", 0, "client"],
    [0, "endpoints", 0, "alerts", 0],
    [0, "endpoints", 3],
    [0, "endpoints", 4, "dns"],
    [0, "alerting", "slack"],
  ],
  blackbox: [
    [0],
    [0, "modules", "http_login"],
    [0, "modules", "http_login", "http"],
    [0, "modules", "http_login", "http", "tls_config"],
    [0, "modules", "tcp_connect"],
    [1],
    [1, "scrape_configs", 1],
    [1, "scrape_configs", 1, "static_configs", 0],
  ],
};

const filesOf = (from: string): object[] =>
  (EXPORTS[from] ?? []).map((one) => (typeof one === "string" ? parse(one, { merge: true }) : one));

const name = fc.stringMatching(/^zz[a-zA-Z_]{1,12}$/);
const setting = fc.oneof(
  fc.constantFrom<unknown>(true, false, 0, "0", { inner: 1 }, [1], [{ inner: "x" }]),
  fc.integer(),
  fc.stringMatching(/^[a-z]{1,8}$/),
);

describe("a member that no source knows is noted by its path, and nothing else changes", () => {
  it("each source has objects to put one in", () => {
    expect(Object.keys(HOLDERS).sort()).toEqual([...importSources.types].sort());
  });

  it.each(importSources.types)("%s", (from) => {
    const plain = imported(from, filesOf(from));
    fc.assert(
      fc.property(
        fc.constantFrom(...(HOLDERS[from] ?? [])),
        name,
        setting,
        ([file, ...steps], added, value) => {
          const files = structuredClone(filesOf(from));
          const holder = steps.reduce<unknown>(
            (outer, step) => (outer as Record<Step, unknown>)[step],
            files[file],
          );
          (holder as Record<string, unknown>)[added] = value;
          const found = imported(from, files);
          const path = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
          const expected = `${path}.${added}`.replace(/^\./, "");
          const its = found.allNotes.filter((note) => note.path === expected && note.file === `${file}.json`);
          expect(its.map(({ effect }) => effect)).toEqual(["left_out"]);
          expect(found.monitors).toEqual(plain.monitors);
          expect(found.allNotes).toHaveLength(plain.allNotes.length + 1);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of the exports as they are, every member is known", () => {
    for (const from of importSources.types)
      expect([
        from,
        imported(from, filesOf(from)).notes.filter((one) => one.includes("does not know")),
      ]).toEqual([from, []]);
  });

  it("aliases of YAML are read in each position on their own, and values that say nothing are none", () => {
    const { notes } = imported(
      "gatus",
      `
x: &client { timeout: 5s, zz: 1, empty: [], nothing: null }
endpoints:
  - { name: a, url: "https://example.org", client: *client }
  - { name: b, url: "tcp://example.org:1", client: *client }
`,
    );
    expect(notes.filter((one) => one.includes("does not know"))).toEqual([
      "x: svc import does not know this part: look whether the check needs it",
      "endpoints[0].client.zz: svc import does not know this part: look whether the check needs it",
      "endpoints[1].client.zz: svc import does not know this part: look whether the check needs it",
    ]);
  });
});
