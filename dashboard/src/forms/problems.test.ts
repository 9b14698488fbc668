import { expect, it } from "vitest";
import { messagesAt, messagesWithin, problemsOfAnswer } from "./problems.ts";

it("a message of the service stands at the path that it begins with", () => {
  expect(
    problemsOfAnswer([
      "locations: locations[1]: no such location",
      "httpConfig: httpConfig.assertions[0].value: expected a number",
      "name: a name with: a colon",
      "expected something else",
    ]),
  ).toEqual([
    { path: ["locations", 1], message: "no such location" },
    { path: ["httpConfig", "assertions", 0, "value"], message: "expected a number" },
    { path: ["name"], message: "a name with: a colon" },
    { path: [], message: "expected something else" },
  ]);
});

it("messages are found at their value, and within what holds it", () => {
  const problems = problemsOfAnswer(["headers: headers.A: not valid", "headersMax: too many"]);
  expect(messagesAt(problems, ["headers"])).toEqual([]);
  expect(messagesWithin(problems, ["headers"])).toEqual(["not valid"]);
});
