/** The judgement of what became of echo requests. Pure. */
import type { CheckConfigOf } from "@svc/contract";
import { TargetFailure } from "../run/failures.ts";
import { lossPercentOf, type PingSummary } from "./ping-summary.ts";

/** Returns why a run is no success; undefined when it is. @param target the host as messages name it */
export function failureOfPing(
  summary: PingSummary,
  { maxLossPercent, maxRoundTripMs }: Pick<CheckConfigOf<"ping">, "maxLossPercent" | "maxRoundTripMs">,
  target: string,
): TargetFailure | undefined {
  const { transmitted, received, errors, roundTripMs } = summary;
  const packets = transmitted === 1 ? "1 packet" : `${transmitted} packets`;
  if (received === 0 && errors > 0)
    return new TargetFailure({
      status: "error",
      category: "connect",
      message: `${target} can't be reached: ${packets} went unanswered, and the network reported ${errors} of them as undeliverable`,
      isNetworkError: true,
    });
  if (received === 0)
    return new TargetFailure({
      status: "timeout",
      category: "timeout",
      message: `${target} answered none of ${packets}`,
      isNetworkError: true,
    });
  const lossPercent = lossPercentOf(summary);
  if (maxLossPercent !== undefined && lossPercent > maxLossPercent)
    return failure(
      `${target} answered ${received} of ${packets}: ${lossPercent} % were lost, at most ${maxLossPercent} % may be`,
    );
  if (maxRoundTripMs !== undefined && roundTripMs && roundTripMs.max > maxRoundTripMs)
    return failure(
      `the longest round trip to ${target} took ${roundTripMs.max} ms, at most ${maxRoundTripMs} ms may pass`,
    );
  return undefined;
}

function failure(message: string): TargetFailure {
  return new TargetFailure({ status: "failure", category: "assertion", message });
}
