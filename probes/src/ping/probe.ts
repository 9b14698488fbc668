/** The probe of ping checks: sends echo requests by the system's ping. Its response time is lookup and average round trip. */
import type { CheckConfigOf, ResultDetail } from "@svc/contract";
import { PING_INTERVAL_MS } from "@svc/contract";
import type { PinnedAddress } from "@svc/egress";
import { addressesOf } from "../connection/dial.ts";
import { runMeasured } from "../measured-run/measured-run.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { Probe } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { failureOfPing } from "./judge.ts";
import { lossPercentOf, type PingSummary } from "./ping-summary.ts";
import { NoRoute, runPing, tryPing } from "./run-ping.ts";

type PingConfig = CheckConfigOf<"ping">;

/** Carries out one run of a ping check. */
export const pingProbe = {
  type: "ping",
  needsHost: false,
  tryOut: () => tryPing(),
  run(request, context) {
    const config = request.config as PingConfig;
    const { host, timeoutMs, assertions } = config;
    return runMeasured(request, context, {
      url: new URL(`ping://${host.includes(":") ? `[${host}]` : host}`),
      timeoutMs,
      assertions,
      measure: (scope, detail) => measure(config, scope, detail),
    });
  },
} as const satisfies Probe;

async function measure(config: PingConfig, scope: RunScope, detail: Partial<ResultDetail>): Promise<number> {
  const { clock, url } = scope;
  const addresses = await addressesOf(url.hostname, scope);
  const lookedUpUs = clock.elapsedUs();
  const beganUs = clock.enter("ttfb");
  const { address, summary } = await pingOneOf(addresses, config, scope);
  const { transmitted, received, roundTripMs } = summary;
  detail.pingJson = {
    address,
    transmitted,
    received,
    lossPercent: lossPercentOf(summary),
    ...(roundTripMs ? { roundTripMs } : {}),
  };
  const averageUs = (roundTripMs?.avg ?? 0) * 1000;
  clock.leave(roundTripMs ? beganUs + averageUs : monotonicUs());
  const target = address === config.host ? address : `${config.host} (${address})`;
  const failure = failureOfPing(summary, config, target);
  if (failure) throw failure;
  return clock.startedUs + lookedUpUs + averageUs;
}

/** Pings the first address, or the first of the other family where this machine has no way to that. */
async function pingOneOf(
  addresses: readonly PinnedAddress[],
  { count, timeoutMs }: PingConfig,
  scope: RunScope,
): Promise<{ address: string; summary: PingSummary }> {
  const [first] = addresses as readonly [PinnedAddress, ...PinnedAddress[]];
  const other = addresses.find(({ family }) => family !== first.family);
  const ping = async (address: PinnedAddress) => {
    const leftMs = timeoutMs - scope.clock.elapsedUs() / 1000 - (count - 1) * PING_INTERVAL_MS;
    // The process takes a while to start and to end: without a reserve the run's own limit would come first.
    const waitMs = Math.max(50, leftMs * 0.9 - 20);
    return { address: address.address, summary: await runPing({ address, count, waitMs }, scope.signal) };
  };
  try {
    return await ping(first);
  } catch (error) {
    if (!(error instanceof NoRoute) || !other) throw error;
    return ping(other);
  }
}
