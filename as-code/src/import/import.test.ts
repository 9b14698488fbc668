/** Rules for every import source: hostile exports, other tools' exports, limits, names, locations. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { EXPORTS } from "../../test-support/exports/exports.ts";
import { imported } from "../../test-support/imported.ts";
import { ImportError, importSources } from "./index.ts";

const aGatus = (...endpoints: object[]) => ({ endpoints });
const anEndpoint = { name: "one", url: "https://example.org" };

describe("an export with anything in it", () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      "",
      " ",
      "\0",
      "\ud800",
      "{{secrets.X}}",
      "{{ a.b }}",
      "${HOME}",
      "$$",
      "\\{{env.A}}",
      "<<",
      "__proto__",
    ),
    fc.constantFrom<unknown>(
      -1,
      0,
      0.5,
      1e9,
      Number.MAX_VALUE,
      null,
      true,
      [],
      {},
      [[]],
      "99999999999999999999",
      "https://u:p@h/?token=x",
    ),
    fc.string({ unit: "binary", maxLength: 400 }),
  );

  /** Replaces, removes or repeats values at random positions. */
  function mutated(value: unknown, changes: readonly (readonly [number, number, unknown])[]): unknown {
    const copy = structuredClone(value);
    for (const [at, kind, replacement] of changes) {
      const holders: object[] = [];
      const pending: unknown[] = [copy];
      for (let one = pending.pop(); one !== undefined; one = pending.pop())
        if (typeof one === "object" && one !== null) {
          holders.push(one);
          pending.push(...Object.values(one).filter((inner) => inner !== undefined));
        }
      const holder = holders[at % holders.length] as Record<string, unknown>;
      const keys = Object.keys(holder);
      const key = keys[Math.floor(at / 7) % Math.max(1, keys.length)];
      if (key === undefined) continue;
      if (kind === 0) holder[key] = structuredClone(replacement);
      else if (kind === 1) delete holder[key];
      else if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]));
      else holder[`${key}x`] = holder[key];
    }
    return copy;
  }

  const change = fc.tuple(fc.nat(10_000), fc.nat(2), odd);

  it.each(importSources.types)(
    "becomes a config that svc validate finds no fault with, or is refused in words: %s",
    (from) => {
      const contents = (EXPORTS[from] ?? []).map((one) =>
        typeof one === "string" ? parse(one, { merge: true }) : one,
      );
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
          try {
            const changed = contents.map((one) => mutated(one, changes) as object);
            const { problems } = imported(from, changed);
            expect(problems).toEqual([]);
          } catch (error) {
            if (!(error instanceof ImportError)) throw error;
            expect(error.message).not.toBe("");
          }
        }),
        { numRuns: 120 },
      );
    },
  );
});

describe("a file that is no export of the tool", () => {
  it.each(importSources.types)(
    "an export of %s given to another source is recognised by its tool",
    (from) => {
      for (const other of importSources.types.filter((one) => one !== from)) {
        const [content = ""] = EXPORTS[from] ?? [];
        expect(() => imported(other, [content])).toThrow(`(--from ${from})`);
      }
    },
  );

  it.each<[string, string, string]>([
    ["broken JSON", "", "is not valid JSON"],
    ["broken YAML", "a: [1, 2\nb: }", "is not valid YAML"],
    ["an empty file", "", "is no export of Gatus"],
    ["a text", "hello", "is no export of Gatus"],
    ["another YAML", "services: { web: {} }", "is no export of Gatus"],
    ["an alias to nothing", "endpoints: *none", "0.yaml"],
  ])("%s", (title, text, message) => {
    const content = title === "broken JSON" ? "[1," : text;
    const name =
      title === "broken JSON" ? () => imported("checkly", content) : () => imported("gatus", content);
    expect(name).toThrow(title === "broken JSON" ? "is not valid" : message);
    expect(name).toThrow(ImportError);
  });

  it("a folder's other files are noted, and those that are exports are read", () => {
    const { monitors, notes } = imported("gatus", [aGatus(anEndpoint), { unrelated: true }]);
    expect(Object.keys(monitors)).toEqual(["one"]);
    expect(notes[0]).toBe(": is no export of Gatus");
  });
});

describe("a hostile file", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ...["b", "c", "d", "e", "f", "g", "h", "i"].map((name, at) => {
      const former = "abcdefghi"[at];
      return `${name}: &${name} [${Array(10).fill(`*${former}`).join(", ")}]`;
    }),
    "endpoints: *i",
  ].join("\n");

  it.each<[string, string, RegExp]>([
    ["aliases that multiply", bomb, /aliases|values/],
    ["deep YAML", `endpoints: ${"[".repeat(20_000)}${"]".repeat(20_000)}`, /nested too deeply|not valid/],
    [
      "deep YAML by flow maps",
      `endpoints: ${"{a: ".repeat(3_000)}1${"}".repeat(3_000)}`,
      /nested too deeply/,
    ],
  ])("%s", (_title, text, message) => {
    const startedMs = process.cpuUsage().user / 1_000;
    expect(() => imported("gatus", text)).toThrow(message);
    expect(process.cpuUsage().user / 1_000 - startedMs).toBeLessThan(10_000);
  });

  it("deep JSON is refused", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(4_000)}1${"]}".repeat(4_000)}`) as object;
    const text = `{"tests":[${'{"a":['.repeat(4_000)}1${"]}".repeat(4_000)}]}`;
    expect(deep).toBeDefined();
    expect(() => imported("datadog", text)).toThrow(/nested too deeply/);
  });

  it("long texts without an end cost no more than their length", () => {
    for (const body of [
      '"\\'.repeat(100_000),
      '{"a'.repeat(60_000),
      "[".repeat(200_000),
      `{"password":"${"x".repeat(200_000)}"}`,
    ]) {
      const { problems } = imported(
        "gatus",
        aGatus({
          ...anEndpoint,
          body,
          conditions: [`[BODY].${"a".repeat(100_000)}! == 1`, `[BODY] == ${"(".repeat(20_000)}`],
        }),
      );
      expect(problems).toEqual([]);
    }
  });
});

describe("what is carried over", () => {
  it("names are unique, on one line and of bounded length, without credentials", () => {
    const endpoints = [
      { ...anEndpoint, group: "a" },
      { ...anEndpoint, group: "b" },
      { ...anEndpoint, group: "b" },
      { ...anEndpoint, name: "two\nlines" },
      { ...anEndpoint, name: "x".repeat(300) },
      { url: "https://user:pass-word@example.org/" },
    ];
    const { monitors, yaml } = imported("gatus", aGatus(...endpoints));
    expect(Object.keys(monitors)).toEqual([
      "b/one",
      "https://***:***@example.org/",
      "one",
      "one (2)",
      "two lines",
      "x".repeat(255),
    ]);
    expect(yaml).not.toContain("pass-word");
  });

  it("a variable within a credential leaves the rest as it is, and a text that looks like a placeholder stays text", () => {
    const headers = {
      Authorization: "Bearer ${A}.${B}",
      Cookie: "id=${A}",
      "User-Agent": "{{secrets.X}} $$A",
    };
    const { monitors, secrets } = imported("gatus", aGatus({ ...anEndpoint, headers }));
    expect(monitors.one?.headers).toEqual({
      Authorization: "Bearer {{secrets.A}}.{{secrets.B}}",
      Cookie: "id={{secrets.A}}",
      "User-Agent": "\\{{secrets.X}} $A",
    });
    expect(secrets).toEqual(["SVC_SECRET_A", "SVC_SECRET_B"]);
  });

  it("a body's credentials are replaced in JSON and in forms, and nothing else of it", () => {
    const bodyOf = (body: string) =>
      imported("gatus", aGatus({ ...anEndpoint, method: "POST", body })).monitors.one?.body;
    expect(bodyOf('{ "user" : "a", "note": "password", "deep": [{"apiKey":"k\\"1"}] }')).toBe(
      '{ "user" : "{{secrets.ONE_USER}}", "note": "password", "deep": [{"apiKey":"{{secrets.ONE_APIKEY}}"}] }',
    );
    expect(bodyOf("grant_type=password&client_secret=abc&x=1")).toBe(
      "grant_type=password&client_secret={{secrets.ONE_CLIENT_SECRET}}&x=1",
    );
    expect(bodyOf("password is what this text is about")).toBe("password is what this text is about");
  });

  it("monitors run at the chosen locations where their own have no counterpart", () => {
    const { monitors, notes } = imported("gatus", aGatus(anEndpoint, { ...anEndpoint, name: "two" }), [
      "loc_a",
      "loc_b",
    ]);
    expect(monitors.one).not.toHaveProperty("locations");
    expect(imported("gatus", aGatus(anEndpoint), ["loc_a"]).yaml).toContain("- loc_a");
    expect(notes).toContain(
      ": 2 monitors without a location of its own: at loc_a and loc_b now (--location; svc deploy checks that there is such a location)",
    );
  });

  it("assertions and headers that are refused are left out one by one, each with its reason", () => {
    const headers = { "bad name": "x", Good: "1", Bad: "a\nb" };
    const conditions = ["[STATUS] == 200", ...Array(150).fill("[BODY] == pat(*x*)")];
    const { monitors, notes, problems } = imported("gatus", aGatus({ ...anEndpoint, headers, conditions }));
    expect(problems).toEqual([]);
    expect(Object.keys(monitors.one?.headers as object)).toEqual(["Good"]);
    expect(monitors.one?.assertions).toHaveLength(100);
    expect(notes.filter((note) => /not a valid header|at most 100 assertions/.test(note))).toHaveLength(3);
  });

  it("ten thousand monitors are converted in seconds", () => {
    const endpoints = Array.from({ length: 10_000 }, (_, at) => ({
      ...anEndpoint,
      name: `check ${at % 5_000}`,
      headers: { Authorization: "Bearer ${TOKEN}", "X-Key": `key-number-${at}` },
      method: "POST",
      body: `{"password":"p-${at}"}`,
      conditions: ["[STATUS] == 200"],
    }));
    const { problems, monitors } = imported("gatus", aGatus(...endpoints));
    expect(problems).toEqual([]);
    expect(Object.keys(monitors)).toHaveLength(10_000);
  });
});
