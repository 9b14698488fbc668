import { readdirSync, readFileSync } from "node:fs";
import { telemetryEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { ATTR } from "./records/attributes.ts";
import { METRICS } from "./records/metrics.ts";
import { TEST_EVENT_NAME } from "./records/otlp.ts";

const SOURCES = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../../docs/telemetry.md", import.meta.url), "utf8");
const documented = new Set(
  [...page.matchAll(/`((?:synthetics|service|url|http|error|server|tls)\.[a-z0-9_.]+)`/g)].map(
    (match) => match[1],
  ),
);

/** Names that any part of the service writes; the event feed has names of its own. */
function writtenNames(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("telemetry/feed/"),
    )
    .flatMap((file) => {
      const source = readFileSync(new URL(file, SOURCES), "utf8");
      return [...source.matchAll(/"(synthetics\.[a-z0-9_.]+)"/g)].map((match) => match[1] as string);
    });
}

it("every name that is exported is in docs/telemetry.md", () => {
  const exported = [
    ...Object.values(ATTR),
    ...telemetryEventTypes.types,
    ...Object.values(METRICS).map(({ name }) => name),
    ...writtenNames(),
  ];
  expect(exported.filter((name) => !documented.has(name))).toEqual([]);
});

it("docs/telemetry.md names nothing that is not exported", () => {
  const exported = new Set<string>([
    ...Object.values(ATTR),
    ...telemetryEventTypes.types,
    ...Object.values(METRICS).map(({ name }) => name),
    ...writtenNames(),
    TEST_EVENT_NAME,
  ]);
  expect([...documented].filter((name) => !exported.has(name as string))).toEqual([]);
});
