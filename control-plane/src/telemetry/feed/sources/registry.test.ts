import { feedEvents } from "@svc/contract";
import { expect, it } from "vitest";
import { FEED_SOURCES } from "./registry.ts";

it("every feed event type has exactly one source", () => {
  const types = FEED_SOURCES.flatMap((source) => source.types);
  expect(types.toSorted()).toEqual(feedEvents.types.toSorted());
});
