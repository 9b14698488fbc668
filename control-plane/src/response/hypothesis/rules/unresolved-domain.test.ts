import type { LocationId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aLocationState, aMember, someHypothesisInput } from "../../../../test-support/incidents.ts";
import { hypothesisOf } from "../hypothesis.ts";
import type { HypothesisInput } from "../input.ts";
import { unresolvedDomain } from "./unresolved-domain.ts";

const failing = (host: string, errorCategory: string) =>
  aMember({ host, locationStates: [aLocationState({ errorCategory })] });
const look = (input: Partial<HypothesisInput>) => unresolvedDomain.look(someHypothesisInput(input));

const two = [failing("www.shop.example", "dns"), failing("api.shop.example", "dns")];

it("two names of a domain that can't be resolved point at the domain, more surely than at either name", () => {
  const { summary, ruledIn } = hypothesisOf(someHypothesisInput({ members: two, checkCount: 2 }));
  expect(summary).toMatch(/^No watched name of shop\.example can be resolved: look at its name servers/);
  expect(ruledIn).toContain("domain: www.shop.example and api.shop.example can't be resolved");
});

describe("no cause", () => {
  it.each<[string, Partial<HypothesisInput>]>([
    ["nothing fails in DNS", { members: [failing("www.shop.example", "connect")] }],
    ["one name", { members: [failing("www.shop.example", "dns"), failing("www.shop.example", "dns")] }],
    ["names of two domains", { members: [failing("shop.example", "dns"), failing("bank.example", "dns")] }],
    ["addresses", { members: [failing("192.0.2.1", "dns"), failing("192.0.2.2", "dns")] }],
    [
      "no host",
      { members: [aMember({ host: null, locationStates: [aLocationState({ errorCategory: "dns" })] })] },
    ],
  ])("%s", (_title, input) => {
    expect(look(input)?.cause).toBeUndefined();
  });
});

describe("a name of the domain that resolves rules its name servers out", () => {
  const works = aLocationState({ isFailing: false, locationId: "loc_b" as LocationId });
  it.each<[string, Partial<HypothesisInput>]>([
    ["it refuses connections", { members: [...two, failing("old.shop.example", "connect")] }],
    [
      "it works from elsewhere",
      {
        members: [
          ...two,
          aMember({
            host: "old.shop.example",
            locationStates: [aLocationState({ errorCategory: "dns" }), works],
          }),
        ],
      },
    ],
    [
      "another check of it works",
      { members: two, neighbours: [{ checkName: "n", host: "old.shop.example", isFailing: false }] },
    ],
  ])("%s", (_title, input) => {
    expect(look(input)).toEqual({
      ruledOut: ["domain: old.shop.example resolves, so the name servers of shop.example answer"],
    });
  });

  it.each(["dns", "timeout", "script"])(
    "a failure by %s does not say that the name was resolved",
    (category) => {
      expect(look({ members: [...two, failing("old.shop.example", category)] })?.cause).toBeDefined();
    },
  );
});
