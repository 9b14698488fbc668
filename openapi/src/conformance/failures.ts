/** Describes failed validations in sentences. */
import type { ErrorObject } from "ajv";

/** Returns one line per error, such as `body /items/0/id must be integer`. */
export function describeFailures(errors: readonly ErrorObject[], subject: string): string[] {
  return errors
    .filter(({ keyword }) => keyword !== "if")
    .map((error) => {
      const { instancePath, keyword, params, message = "is not valid" } = error;
      const position = instancePath === "" ? subject : `${subject} ${instancePath}`;
      if (keyword === "additionalProperties" || keyword === "unevaluatedProperties")
        return `${position} must not have the property "${params.additionalProperty ?? params.unevaluatedProperty}"`;
      if (keyword === "enum")
        return `${position} must be one of ${JSON.stringify(params.allowedValues).slice(1, -1).slice(0, 300)}`;
      if (keyword === "const") return `${position} must be ${JSON.stringify(params.allowedValue)}`;
      return `${position} ${message}`;
    });
}
