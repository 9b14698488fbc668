import { assertionSchema } from "@svc/contract";
import { expect, it } from "vitest";
import { aMeasurement } from "../../test-support/measurement.ts";
import { judgeAssertions } from "./judge.ts";

const assertion = assertionSchema.parse({
  type: "openapi_conformance",
  specId: "spec_01jd8z3h5ye1htnv0q6n5jn7ce",
});
const judgeWith = async (specs: { get(id: string): Promise<unknown> } | undefined) =>
  judgeAssertions([assertion], await aMeasurement({ body: "{}" }), {
    openApiSpecs: specs as never,
  });

it("holds the response against the spec and names every problem", async () => {
  const asked: unknown[] = [];
  const [result] = await judgeWith({
    get: async () => ({
      judge: async (response: unknown) => {
        asked.push(response);
        return { conforms: false, operation: "GET /x", problems: ["/a: must be string", "no status 200"] };
      },
    }),
  });
  expect(asked).toEqual([
    expect.objectContaining({ method: "GET", url: "http://example.test/", status: 200, bodyText: "{}" }),
  ]);
  expect(result).toMatchObject({ passed: false, expected: "GET /x" });
  expect(result?.message).toBe("/a: must be string; no status 200");
});

it("passes a response that conforms", async () => {
  const spec = { judge: async () => ({ conforms: true, operation: "GET /x", problems: [] }) };
  expect(await judgeWith({ get: async () => spec })).toMatchObject([{ passed: true, expected: "GET /x" }]);
});

it("fails when the spec does not exist", async () => {
  expect(await judgeWith({ get: async () => undefined })).toMatchObject([
    { passed: false, message: expect.stringMatching(/does not exist/) },
  ]);
});

it("is the runner's fault when specs can't be had", async () => {
  await expect(judgeWith(undefined)).rejects.toMatchObject({ reason: "unsupported" });
  const broken = { get: () => Promise.reject(new Error("down")) };
  await expect(judgeWith(broken)).rejects.toMatchObject({ reason: "network" });
});
