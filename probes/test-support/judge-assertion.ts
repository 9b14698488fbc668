/** The result of one assertion about one measurement. */
import { type Assertion, assertionSchema } from "@svc/contract";
import { judgeAssertions } from "../src/assertions/judge.ts";
import { aMeasurement } from "./measurement.ts";

export type MeasurementOptions = Parameters<typeof aMeasurement>[0];

/** Judges an assertion, given as a user writes it. */
export async function judgeAssertion(assertion: unknown, measured: MeasurementOptions) {
  const [result] = await judgeAssertions(
    [assertionSchema.parse(assertion) as Assertion],
    await aMeasurement(measured),
  );
  if (!result) throw new Error("no result");
  return result;
}
