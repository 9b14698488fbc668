/** Failed validations as sentences. */
import type { ErrorObject } from "ajv";

/** `body /items/0/id must be integer`, one line per error; errors that only sum up others come last in their group. */
export function describeFailures(errors: readonly ErrorObject[], subject: string): string[] {
  return errors
    .filter(({ keyword }) => keyword !== "if")
    .map((error) => {
      const { instancePath, keyword, params, message = "is not valid" } = error;
      const place = instancePath === "" ? subject : `${subject} ${instancePath}`;
      if (keyword === "additionalProperties" || keyword === "unevaluatedProperties")
        return `${place} must not have the property "${params.additionalProperty ?? params.unevaluatedProperty}"`;
      if (keyword === "enum")
        return `${place} must be one of ${JSON.stringify(params.allowedValues).slice(1, -1).slice(0, 300)}`;
      if (keyword === "const") return `${place} must be ${JSON.stringify(params.allowedValue)}`;
      return `${place} ${message}`;
    });
}
