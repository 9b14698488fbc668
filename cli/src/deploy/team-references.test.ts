import { newId } from "@svc/contract";
import { expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { setUpProjectFolder } from "../../test-support/project-folder.ts";

const project = setUpProjectFolder();
const [specId, sloId] = [newId("spec"), newId("slo")];
const CONFIG = `project: p
monitors:
  - name: first
    type: http
    url: https://a.example.com
  - name: second
    type: http
    url: https://b.example.com
    assertions: [{ type: openapi_conformance, specId: ${specId}, operationPath: GET /a }]
    alerts:
      - conditions: [{ type: burn_rate, sloId: ${sloId}, burnRateThreshold: 2, longWindowMinutes: 60, shortWindowMinutes: 5 }]
        channels: ["@ops"]
alertChannels:
  ops: { type: email, addresses: [a@example.com] }
`;
/** A service whose team has these API specs and SLOs. */
const serviceWith = ({ specs, slos }: { specs: string[]; slos: string[] }) =>
  memoryService(({ route }) => {
    if (route === "GET /api/specs") return Response.json({ specs: specs.map((id) => ({ id })) });
    if (route !== "GET /api/slos") return undefined;
    const third = { sloType: "third_party", checkId: null, channelIds: [], name: "cdn" };
    return Response.json({ slos: slos.map((id) => ({ id, ...third })), limit: 200, offset: 0 });
  });

it.each(["deploy", "diff"])(
  "%s refuses ids that the team doesn't have, all at once, and changes nothing",
  async (command) => {
    const service = serviceWith({ specs: [], slos: [] });
    project.write("svc.config.yaml", CONFIG);
    const ran = await project.run([command], service);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`second: assertions[0].specId: there is no API spec ${specId}`);
    expect(ran.stderr).toContain(`second: alerts[0].conditions[0].sloId: there is no SLO ${sloId}`);
    expect(service.routes.filter((route) => !route.startsWith("GET "))).toEqual([]);
  },
);

it("ids that the team has are deployed", async () => {
  const service = serviceWith({ specs: [specId], slos: [sloId] });
  project.write("svc.config.yaml", CONFIG);
  expect(await project.run(["deploy"], service)).toMatchObject({ code: 0 });
  expect(service.checks).toHaveLength(2);
});
