import { newId } from "@svc/contract";
import { defineOccasion } from "./define-occasion.ts";

/** A person added a note. Nobody is woken for a note. */
export const noteAdded = defineOccasion("note_added", {
  words: "note added",
  symbol: "memo",
  effect: "note",
  audiences: ["machine", "people", "ticket"],
  summary: ({ payload }) => payload.note?.body ?? "",
  example: {
    isByUser: true,
    detail: () => ({ note: { id: newId("incidentNote"), body: "This is a test." } }),
  },
});
