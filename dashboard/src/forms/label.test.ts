import { expect, it } from "vitest";
import { jsonOfText, textOfJson } from "./json-text.ts";
import { itemLabelOf, labelOf } from "./label.ts";

it.each([
  ["url", "URL"],
  ["timeoutMs", "Timeout in ms"],
  ["frequencySeconds", "Frequency in seconds"],
  ["status_code", "Status code"],
  ["followRedirects", "Follow redirects"],
  ["api-key", "API key"],
  ["seconds", "Seconds"],
  ["startTls", "Start TLS"],
  ["pop3", "POP3"],
  ["proxyUrl", "Proxy URL"],
  ["expectedRcode", "Expected RCODE"],
])("%s is labelled %s", (name, label) => expect(labelOf(name)).toBe(label));

it.each([
  ["assertions", "assertion"],
  ["expectedTools", "expected tool"],
  ["expectContains", "expectation"],
  ["properties", "property"],
  ["urls", "URL"],
  ["addresses", "address"],
  ["boxes", "box"],
])("an item of %s is a %s", (name, label) => expect(itemLabelOf(name)).toBe(label));

it.each([1, true, null, "text", "1", '"quoted"', "", { a: [1] }])("%j is read as it is written", (value) =>
  expect(jsonOfText(textOfJson(value))).toEqual(value),
);
