import { expect, it } from "vitest";
import { filesOf } from "./lay-out.ts";

const monitor = (name: string) => ({ name, fields: { name, type: "http", url: "https://a.example.com" } });

function namesOf(...names: string[]): string[] {
  const config = {
    defaults: {},
    alertChannels: {},
    monitors: names.map(monitor),
    thirdPartyPatterns: {},
    slos: {},
    alertPolicies: {},
    rotas: {},
    incidentPolicy: {},
    statusPages: {},
    maintenanceWindows: {},
  };
  const files = filesOf("directory", "", { project: "p", config, unmanaged: [], schemaLine: "" } as never);
  return [...files.keys()].filter((path) => path.includes("/monitors/")).map((path) => path.slice(20, -5));
}

it("each monitor has a file of its own, also where upper and lower case are one", () => {
  expect(namesOf("Home", "home", "HOME!", "***")).toEqual(["home", "home-2", "home-3", "monitor"]);
});

it("no file has the name of a device, with which a repository can't be checked out on Windows", () => {
  expect(namesOf("Aux", "aux", "CON", "COM1", "lpt9", "com", "console")).toEqual([
    "aux-1",
    "aux-2",
    "con-1",
    "com1-1",
    "lpt9-1",
    "com",
    "console",
  ]);
});
