import { feedEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { feedSources } from "./registry.ts";

it("every feed event type has exactly one source", () => {
  const types = feedSources.members.flatMap(({ eventTypes }) => eventTypes);
  expect(types.toSorted()).toEqual(feedEventTypes.types.toSorted());
});
