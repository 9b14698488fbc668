import { expect, it } from "vitest";
import { renderTemplate } from "./incident-template.ts";

const context = {
  eventId: "ievt_1",
  eventType: "opened",
  incidentId: "inc_1",
  teamId: "team_1",
  actor: { type: "system", id: null },
  occurredAt: "2026-06-01T12:00:00.000Z",
  payload: {
    title: 'a "b" <c> & d',
    list: [1, 2, 3],
    nothing: null,
    many: Array.from({ length: 500 }, String),
  },
  incident: {
    incidentId: "inc_1",
    title: "T",
    severity: "critical",
    state: "open",
    openedAt: "",
    triageUrl: "u",
  },
};

it.each([
  ["a value", '{"t":"{{incident.title}}"}', '{"t":"T"}'],
  ["jsonBody writes raw JSON", '{"t":{{jsonBody payload.title}} }', String.raw`{"t":"a \"b\" <c> & d" }`],
  ["three braces give the same", '{"t":{{{jsonBody payload.title}}} }', String.raw`{"t":"a \"b\" <c> & d" }`],
  ["nothing is escaped", '"{{eventId}} & <{{incident.state}}>"', '"ievt_1 & <open>"'],
  ["a whole object", "{{jsonBody actor}}", '{"type":"system","id":null}'],
  ["what is not there is null", "{{jsonBody payload.absent}}", "null"],
  ["there is no top-level event", "{{jsonBody event}}", "null"],
  ["a loop", "[{{#each payload.list}}{{this}}{{#unless @last}},{{/unless}}{{/each}}]", "[1,2,3]"],
  ["a section", "[{{#payload.list}}{{.}},{{/payload.list}}0]", "[1,2,3,0]"],
  ["prototypes are out of reach", '"{{payload.constructor.name}}{{__proto__}}"', '""'],
])("%s", (_name, template, text) => {
  expect(renderTemplate(template, context)).toEqual({ ok: true, text });
});

const nested = (depth: number) =>
  `${"{{#each @root.payload.many}}".repeat(depth)}x${"{{/each}}".repeat(depth)}`;

it.each([
  ["a close directly before a JSON brace", '{"t":{{jsonBody payload.title}}}', /Parse error on line 1/],
  ["no JSON", "{{incident.title}}", /does not render valid JSON/],
  ["a quote that a value brings", '{"t":"{{payload.title}}"}', /does not render valid JSON/],
  ["an unknown helper", "{{shout incident.title}}", /Missing helper: "shout"/],
  ["partials", "{{> self}}", /can't use partials/],
  ["partials that call themselves", '{{#*inline "a"}}{{> a}}{{/inline}}{{> a}}', /can't use/],
  ["loops without end in sight", nested(6), /more than 10000 rounds/],
  [
    "sections, too",
    "{{#payload.many}}{{#@root.payload.many}}x{{/@root.payload.many}}{{/payload.many}}",
    /rounds/,
  ],
  ["more than a megabyte", "{{jsonBody payload.many}}".repeat(400), /more than 1000000 characters/],
])("%s is refused with a reason, and soon", (_name, template, reason) => {
  const rendered = renderTemplate(template, context);
  expect(rendered).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});
