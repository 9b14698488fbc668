import { feedEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { feedSources } from "./registry.ts";

it("every feed event type has exactly one source", () => {
  const types = feedSources.flatMap((source) => source.types);
  expect(types.toSorted()).toEqual(feedEventTypes.types.toSorted());
});
