/** Previews of incident events: what a channel gets, without one. */
import { INCIDENT_TEMPLATE_PATHS, incidentEventTypes } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createNotificationTest, type NotificationTest } from "../../../test-support/notification-test.ts";
import { aReceiver } from "../../../test-support/receivers.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const PATH = "/api/notification-channels";
const preview = async (body: object) => (await test.call("POST", `${PATH}/preview`, body as never)).body;

/** Values that an example has in no event: of other types of checks, and of incidents that were folded into another. */
const IN_NO_EXAMPLE = /^payload\.(observations\.synthetic(?!Http\.)\w+\.|reason$|mergedInto$)/;

it("is what a test of a channel with the template is sent, header by header", async () => {
  const receiver = await aReceiver();
  const template =
    '{"why": {{jsonBody payload.hypothesis.summary}}, "note": {{jsonBody payload.note.body}}, "state": "{{incident.state}}"}';
  const channel = { type: "webhook", url: receiver.url, headers: { "X-Own": "s3cret" } };
  const { id } = (await test.call("POST", PATH, { name: "Hook", channel })).body.channel;
  const overrides = { note_added: { body: template } };
  await test.call("PUT", `${PATH}/${id}`, { incidentTemplate: { channelType: "webhook", overrides } });
  await test.call("POST", `${PATH}/${id}/test`, { eventType: "note_added" });
  const [sent] = receiver.received;
  const shown = await preview({ eventType: "note_added", template });
  expect(shown.problem).toBeNull();
  expect(JSON.parse(shown.body)).toEqual(sent?.body);
  expect(shown.characters).toBe(shown.body.length);
  for (const [name, value] of Object.entries(shown.headers)) {
    const received = sent?.headers[name.toLowerCase()];
    if (name === "Svc-Notification-Id") expect(received).toMatch(/^ntf_/);
    else expect([name, received]).toEqual([name, value]);
  }
  expect(JSON.stringify(shown)).not.toContain("s3cret");
});

describe.each(incidentEventTypes.types)("of %s", (eventType) => {
  it("is the default body without a template", async () => {
    const { body, problem } = await preview({ eventType });
    expect(problem).toBeNull();
    expect(JSON.parse(body)).toMatchObject({
      schema_version: 1,
      event: { eventType, teamId: test.team.teamId, payload: { eventType } },
      incident: { triageUrl: expect.stringContaining("/incidents/inc_") },
    });
  });
});

it("has a value for each path that templates are offered, and a path for each value", async () => {
  const found = new Set<string>();
  for (const eventType of incidentEventTypes.types) {
    const template = `{${INCIDENT_TEMPLATE_PATHS.map((path) => `"${path}": {{jsonBody ${path}}}`).join(", ")} }`;
    const { body, problem } = await preview({ eventType, template });
    expect(problem).toBeNull();
    for (const [path, value] of Object.entries(JSON.parse(body))) if (value !== null) found.add(path);
    const { event, incident } = JSON.parse((await preview({ eventType })).body);
    for (const path of pathsIn({ ...event, incident }))
      expect([path, INCIDENT_TEMPLATE_PATHS.includes(path)]).toEqual([path, true]);
  }
  const missing = INCIDENT_TEMPLATE_PATHS.filter((path) => !found.has(path));
  expect(missing.filter((path) => !IN_NO_EXAMPLE.test(path))).toEqual([]);
});

function pathsIn(value: object): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? pathsIn(inner).map((path) => `${name}.${path}`)
      : [name],
  );
}

describe("a template that can't be used is answered with the reason and the default body", () => {
  it.each([
    ["no JSON", '{"a": {{incident.title}} }', /does not render valid JSON/],
    ["three braces", '{"a": {{jsonBody incident.title}}}', /Parse error|Expecting|got/i],
    ["a partial", '{"a": {{> b}} }', /can't use partials/],
    ["a prototype", "{{#with constructor}}{{this}}{{/with}}", /valid JSON/],
    ["too many tags", "{{a}}".repeat(2_001), /at most 2000 tags/],
    ["endless loops", `${"{{#each payload.hypothesis.ruledIn}}".repeat(40)}1${"{{/each}}".repeat(40)}`, /./],
  ])("%s", async (_name, template, reason) => {
    const { body, problem } = await preview({ template });
    expect(problem).toMatch(reason);
    expect(JSON.parse(body)).toMatchObject({ schema_version: 1, event: { eventType: "opened" } });
  });
});

it("shows the beginning of a long text, and its length", async () => {
  const { body, characters, problem } = await preview({
    template: `[{{#each payload.hypothesis.ruledIn}}"${"x".repeat(60_000)}",{{/each}} 1]`,
  });
  expect(problem).toBeNull();
  expect(body.length).toBe(65_536);
  expect(characters).toBeGreaterThan(120_000);
});

it.each([
  ["a longer template than a channel takes", { template: "x".repeat(65_537) }, "template"],
  ["an event that is none", { eventType: "triggered" }, "eventType"],
  ["a field that is none", { url: "https://example.com" }, undefined],
])("%s is refused", async (_name, body, field) => {
  const answer = await test.call("POST", `${PATH}/preview`, body as never);
  expect(answer.status).toBe(400);
  if (field) expect(Object.keys(answer.body.details.fieldErrors)).toEqual([field]);
});

it("sends and stores nothing", async () => {
  await preview({});
  expect(await test.pending()).toBe(0);
  expect(await test.services.knex("notifications").count().first()).toMatchObject({ count: 0 });
});
