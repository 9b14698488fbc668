/** A monitor of every check type is deployed as its starter has it, found unchanged, and pulled. */
import { type Check, checkTypes } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type CliStage, setCliStage } from "./stage.ts";

const URL_WATCHED = "https://shop.example.com/";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
});
afterAll(() => stage.strike(), 60_000);

test("monitors of all types are deployed, planned and pulled", async () => {
  const monitors = checkTypes.members.map(({ type, starter, scriptField }) => {
    const { script } = starter as { script?: (url: string) => string };
    if (script) stage.write("home.ts", script(URL_WATCHED));
    return {
      name: `a ${type}`,
      type,
      ...starter.fields(URL_WATCHED),
      ...(script && scriptField !== undefined && { [scriptField]: "./home.ts" }),
    };
  });
  const config = { project: "shop", defaults: { frequency: "1h", locations: ["loc_us_east"] }, monitors };
  stage.write("svc.config.yaml", stringify(config));
  expect(await stage.json(["diff"])).toMatchObject({ ok: true });
  expect(await stage.json(["deploy"])).toMatchObject({
    code: 0,
    ok: true,
    data: { applied: monitors.length },
  });
  const { checks } = await stage.controlPlane.ok<{ checks: Check[] }>("GET", "/api/checks");
  expect(checks.map(({ type }) => type).sort()).toEqual([...checkTypes.types].sort());
  const again = await stage.json(["deploy"]);
  expect(again.data.summary).toMatchObject({ create: 0, update: 0, unchanged: monitors.length });

  expect(await stage.json(["pull", "--force"])).toMatchObject({ ok: true });
  const pulled = parse(stage.read("svc.config.yaml"));
  expect(pulled.monitors.map(({ type }: { type: string }) => type).sort()).toEqual(
    [...checkTypes.types].sort(),
  );
  expect((await stage.json(["diff"])).data.summary).toMatchObject({ create: 0, update: 0 });
});
