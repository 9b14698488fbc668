import { defineFailureReason } from "./define-reason.ts";

/** The target answers with another structure than before. */
export const schemaChange = defineFailureReason("schema_change", {
  explains: ({ category, evidence }) => category === "assertion" && evidence?.hasOtherStructure === true,
  phrase: () => "answers with another structure than the check expects: its schema changed",
  advice: "compare the answer with what its clients expect",
});
