/** The assertions of a result that did not hold. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../api/request.ts";
import { Text } from "./text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows what was expected, and what was there. Says nothing that the result's sentence says already. */
export function FailedAssertions({
  result: { assertions, errorMessage },
}: {
  result: Pick<Shown, "assertions" | "errorMessage">;
}) {
  const failed = (assertions ?? []).filter(({ passed }) => !passed);
  // With one assertion the sentence is about that one.
  if (failed.length === 0 || (failed.length === 1 && errorMessage !== null)) return null;
  return (
    <ul aria-label="Failed assertions">
      {failed.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: assertions have no id, and keep their order
        <li key={i}>
          <Text>{`${one.type}: expected ${valueText(one.expected)}, got ${valueText(one.actual)}`}</Text>
        </li>
      ))}
    </ul>
  );
}

/** Returns a value of an assertion as text. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}
