/** How webhook channels get incident events: from the config to the service and back. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { setUpProjectFolder } from "../../test-support/project-folder.ts";
import { runSvc } from "../../test-support/run-svc.ts";

const project = setUpProjectFolder();

const PLAIN = 'project: p\nalertChannels:\n  ops: { type: webhook, url: "https://hooks.example.com/x" }\n';
// Placeholders of the template beside one of the config, and an escaped text that looks like one of the config.
const BODY = '{"text": {{jsonBody incident.title}}, "desk": "{{secrets.DESK}}", "cost": "\\${HOME}" }';
const OWN = `${PLAIN.trimEnd().slice(0, -2)},
    incidentSubscribed: false,
    incidentTemplate: { channelType: webhook, overrides: { opened: { body: '${BODY}' } } } }
`;
const STORED = {
  incidentSubscribed: false,
  incidentTemplate: {
    channelType: "webhook",
    overrides: {
      opened: { body: '{"text": {{jsonBody incident.title}}, "desk": "s3cret-desk", "cost": "${HOME}" }' },
    },
  },
};
const env = { SVC_SECRET_DESK: "s3cret-desk" };

it("a new channel gets them, an unchanged one nothing, and what the config drops is the default again", async () => {
  const service = memoryService();
  project.write("svc.config.yaml", OWN);
  expect((await project.run(["deploy"], service, { env })).code).toBe(0);
  expect(service.channels).toMatchObject([{ name: "ops", ...STORED }]);
  expect((await project.run(["deploy", "--json"], service, { env })).json().data.summary).toMatchObject({
    update: 0,
    unchanged: 1,
  });
  project.write("svc.config.yaml", PLAIN);
  const diff = (await project.run(["diff", "--json"], service)).json();
  const [change] = diff.data.changes.filter(({ type }: { type: string }) => type === "update");
  expect(change.fieldChanges.map(({ field }: { field: string }) => field).sort()).toEqual([
    "incidentSubscribed",
    "incidentTemplate",
  ]);
  expect((await project.run(["deploy"], service)).code).toBe(0);
  expect(service.channels).toMatchObject([{ incidentTemplate: null, incidentSubscribed: true }]);
});

it("a pull writes them, and its config makes an equal channel on another service", async () => {
  const service = memoryService();
  project.write("svc.config.yaml", OWN);
  expect((await project.run(["deploy"], service, { env })).code).toBe(0);
  const pulled = join(project.path, "pulled");
  mkdirSync(pulled);
  const run = (args: string[], { fetch }: { fetch: typeof globalThis.fetch }, more = {}) =>
    runSvc(args, { cwd: pulled, fetch, env: { SVC_API_KEY: "svc_key", ...env, ...more } });
  expect(await run(["pull"], service)).toMatchObject({ code: 0, stderr: "" });
  const text = readFileSync(join(pulled, "svc.config.yaml"), "utf8");
  expect(text).not.toContain("s3cret-desk");
  const variables = {
    SVC_SECRET_OPS_URL: "https://hooks.example.com/x",
  };
  const other = memoryService();
  expect(await run(["deploy"], other, variables)).toMatchObject({ code: 0 });
  expect(other.channels).toMatchObject([{ name: "ops", ...STORED }]);
});

it("a channel that was created when its settings failed is completed by the next deploy", async () => {
  let isBroken = true;
  const service = memoryService(({ route }) =>
    isBroken && route.startsWith("PUT /api/notification-channels/")
      ? Response.json({ error: "Internal error" }, { status: 500 })
      : undefined,
  );
  project.write("svc.config.yaml", OWN);
  expect((await project.run(["deploy"], service, { env })).code).toBe(4);
  isBroken = false;
  expect((await project.run(["deploy"], service, { env })).code).toBe(0);
  expect(service.channels).toMatchObject([{ name: "ops", ...STORED }]);
});

it.each([
  [
    "type: email, addresses: [a@example.com], incidentSubscribed: false",
    'unknown field "incidentSubscribed"',
  ],
  [
    "type: webhook, url: https://a.example.com, incidentTemplate: { channelType: webhook, overrides: { open: { body: x } } }",
    "incidentTemplate.overrides",
  ],
])("%s is refused by validate", async (channel, message) => {
  project.write("svc.config.yaml", `project: p\nalertChannels:\n  ops: { ${channel} }\n`);
  const ran = await project.run(["validate"], memoryService());
  expect(ran.code).toBe(1);
  expect(ran.stderr + ran.stdout).toContain(message);
});
