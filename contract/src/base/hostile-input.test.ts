import { expect, it } from "vitest";
import * as z from "zod";
import { createCheckSchema } from "../resources/check.ts";
import { nearestName } from "./nearest.ts";
import { closedObject } from "./objects.ts";
import { MESSAGES_MAX, parseInput } from "./validation.ts";

/** Returns how many CPU milliseconds the work takes, the cheapest of several runs. */
function cpuMs(work: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

const fields = (count: number, value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
const check = (rest: object) => ({ name: "a", type: "http", locations: ["loc_us_east"], ...rest });
const browser = (config: object) =>
  check({ type: "browser", browserConfig: { browserMode: "url", url: "http://a.example", ...config } });

const detailsOf = (schema: z.ZodType, input: unknown) => {
  const parsed = parseInput(schema, input);
  if (parsed.success) throw new Error("the input was taken");
  return parsed.details;
};

const closed = closedObject({
  name: z.string(),
  tags: z.array(closedObject({ key: z.string() })).optional(),
});

it.each([
  ["unknown fields", { name: "a", ...fields(90_000) }, 90_000],
  ["unknown fields of one item", { name: "a", tags: [{ key: "a", ...fields(90_000) }] }, undefined],
  ["wrong items", { name: "a", tags: Array.from({ length: 90_000 }, () => 1) }, 90_000],
  ["long names of unknown fields", { name: "a", ["x".repeat(1_000_000)]: 1 }, undefined],
])("an answer about %s is short and says how many more there are", (_title, input, problems) => {
  const details = detailsOf(closed, input);
  const messages = [...Object.values(details.fieldErrors).flat(), ...details.formErrors];
  expect(messages.length).toBeLessThanOrEqual(MESSAGES_MAX + 1);
  expect(JSON.stringify(details).length).toBeLessThan(16_000);
  if (problems !== undefined) expect(details.formErrors).toEqual([`and ${problems - MESSAGES_MAX} more`]);
});

it.each([
  [
    "a field of a million letters",
    check({ ["x".repeat(1_000_000)]: 1, httpConfig: { url: "http://a.example" } }),
  ],
  ["a device of a million letters", browser({ device: "x".repeat(1_000_000) })],
  ["a type of a million letters", check({ type: "x".repeat(1_000_000) })],
  [
    "a method of a million letters",
    check({ httpConfig: { url: "http://a.example", method: "x".repeat(1e6) } }),
  ],
  ["a host of a million letters beyond ASCII", check({ httpConfig: { url: `http://${"é".repeat(1e6)}` } })],
])("%s costs little to refuse", (_title, input) => {
  detailsOf(createCheckSchema, input);
  expect(cpuMs(() => parseInput(createCheckSchema, input))).toBeLessThan(100);
});

it("a name near the longest one is still suggested, a longer one never", () => {
  const name = "n".repeat(64);
  expect(nearestName(name.slice(1), [name])).toBe(name);
  expect(nearestName(`${name}n`, [name])).toBeUndefined();
});

it.each([
  ["a body", { url: "http://a.example", body: "x".repeat(256 * 1024 + 1) }],
  ["headers", { url: "http://a.example", headers: fields(20, "x".repeat(16_000)) }],
])("a configuration is refused when %s make it too large", (_title, httpConfig) => {
  const { httpConfig: messages } = detailsOf(createCheckSchema, check({ httpConfig })).fieldErrors;
  expect(messages?.join()).toMatch(/at most 262144/);
});

it("the arguments of an MCP tool count towards the size of the configuration", () => {
  const testCalls = [{ toolName: "x", arguments: { text: "é".repeat(140_000) } }];
  const input = check({ type: "mcp", mcpConfig: { endpoint: "http://a.example", testCalls } });
  expect(detailsOf(createCheckSchema, input).fieldErrors.mcpConfig?.[0]).toMatch(
    /at most 262144 bytes as JSON/,
  );
});

it("a script of 512 KiB is within its own limit", () => {
  const browserConfig = { browserMode: "scripted", script: "x".repeat(512 * 1024) };
  expect(parseInput(createCheckSchema, check({ type: "browser", browserConfig })).success).toBe(true);
});
