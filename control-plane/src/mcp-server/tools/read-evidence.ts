import { firstCharacters, idSchema, invalidField, resultRoutes } from "@svc/contract";
import * as z from "zod";
import { getResult } from "../../results/get-result.ts";
import { saidByTarget } from "../views/result-view.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Characters of a part; with every one escaped they still fit into an answer. */
const PART_CHARACTERS = 3_500;

/** Reads the parts of a result's evidence that get_result cuts. */
export const readEvidence = defineTool({
  type: "read_evidence",
  title: "Read on in a result's evidence",
  description: `Reads a field of a result's untrusted evidence that get_result cut, ${PART_CHARACTERS} characters at a time: name the field by its path, such as response.body or consoleLogsJson.3.text. A list or object is read as its JSON.`,
  routes: [resultRoutes.get],
  input: z.strictObject({
    checkId: checkIdInput,
    resultId: idSchema("result").describe("Id of the result (res_...)."),
    path: z
      .string()
      .min(1)
      .max(300)
      .describe("Path of the field below `untrusted`, its parts joined by dots."),
    offset: z.int().min(0, "smallest is 0").default(0).describe("`nextOffset` of the answer before."),
  }),
  async run({ ctx }, { checkId, resultId, path, offset }) {
    const { result } = await getResult(ctx, { checkId, resultId });
    const value = valueAt(saidByTarget(result), path);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const part = firstCharacters(text.slice(offset), PART_CHARACTERS).toWellFormed();
    const end = offset + part.length;
    return {
      summary: `Characters ${Math.min(offset, text.length)} to ${Math.min(end, text.length)} of ${text.length}.`,
      ...(end < text.length && { nextOffset: end }),
      untrusted: { path, text: part },
    };
  },
});

/**
 * Returns the value at a path of field names and list positions.
 * @throws DomainError `invalid` that names the fields there are
 */
function valueAt(evidence: Record<string, unknown>, path: string): unknown {
  let value: unknown = evidence;
  // A header's name may have dots, so that the longest name that fits is followed.
  let rest = path;
  while (rest !== "") {
    if (typeof value !== "object" || value === null) throw noField(rest, []);
    const names = Object.keys(value);
    const name = names
      .filter((one) => rest === one || rest.startsWith(`${one}.`))
      .sort((a, b) => b.length - a.length)[0];
    if (name === undefined) throw noField(rest, names);
    value = (value as Record<string, unknown>)[name];
    rest = rest.slice(name.length + 1);
  }
  return value;
}

function noField(rest: string, names: readonly string[]): Error {
  const known = names.slice(0, 20).map((name) => firstCharacters(name, 60).toWellFormed());
  return invalidField(
    "path",
    `there is nothing at "${firstCharacters(rest, 60).toWellFormed()}"; there are: ${known.join(", ") || "no fields"}`,
  );
}
