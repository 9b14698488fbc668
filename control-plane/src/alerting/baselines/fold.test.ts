import { hourOfWeek } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baselineOf, foldSample, NO_SUMS, robustSums, SAMPLES_MIN } from "./fold.ts";
import { metricValueOf } from "./metric-values.ts";

const fold = (values: readonly number[]) => values.reduce(foldSample, NO_SUMS);
/** Around 100, deviating by about 10. */
const usual = (n: number) => Array.from({ length: n }, (_, i) => 100 + 10 * Math.sin(i * 12.9898) * 1.4);

describe("a baseline", () => {
  it("needs its number of samples", () => {
    expect(baselineOf(fold(usual(SAMPLES_MIN - 1)))).toBeUndefined();
    expect(baselineOf(fold(usual(SAMPLES_MIN)))).toBeDefined();
  });

  it("is mean and deviation of the samples", () => {
    const baseline = baselineOf(fold(usual(500)));
    expect(baseline?.mean).toBeCloseTo(100, 0);
    expect(baseline?.deviation).toBeGreaterThan(8);
    expect(baseline?.deviation).toBeLessThan(12);
  });

  it("an outage among the samples hardly moves it", () => {
    const values = usual(300);
    const baseline = baselineOf(
      fold([...values.slice(0, 200), 30_000, 30_000, 30_000, ...values.slice(200)]),
    );
    expect(baseline?.mean).toBeLessThan(102);
    expect(baseline?.deviation).toBeLessThan(14);
  });

  it("nor does one among the very first, once they are settled", () => {
    const values = [30_000, 29_000, ...usual(SAMPLES_MIN), 28_000];
    expect(baselineOf(fold(values))?.deviation).toBeGreaterThan(1_000);
    const baseline = baselineOf([...usual(200)].reduce(foldSample, robustSums(values)));
    expect(baseline?.mean).toBeLessThan(105);
    expect(baseline?.deviation).toBeLessThan(20);
  });

  it("of settled samples without outliers is their mean and deviation", () => {
    const [settled, folded] = [robustSums(usual(50)), fold(usual(50))];
    expect(settled.sampleCount).toBe(50);
    expect(settled.mean).toBeCloseTo(folded.mean, 0);
    expect(baselineOf(settled)?.deviation).toBeCloseTo(baselineOf(folded)?.deviation ?? 0, 0);
    expect(robustSums([7, 7, 7])).toEqual({ sampleCount: 3, mean: 7, squares: 0 });
  });

  it("follows a lasting change", () => {
    const baseline = baselineOf(fold([...usual(200), ...usual(1_500).map((value) => value + 100)]));
    expect(baseline?.mean).toBeGreaterThan(180);
  });

  it("of equal samples still has a deviation, so that noise is no anomaly", () => {
    expect(baselineOf(fold(Array(50).fill(100)))).toMatchObject({ mean: 100, deviation: 1 });
  });

  it("is always finite and lies within the samples", () => {
    const values = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), {
      minLength: SAMPLES_MIN,
      maxLength: 60,
    });
    fc.assert(
      fc.property(values, (samples) => {
        const baseline = baselineOf(fold(samples));
        expect(baseline?.deviation).toBeGreaterThan(0);
        expect(Number.isFinite(baseline?.deviation)).toBe(true);
        expect(baseline?.mean).toBeGreaterThanOrEqual(Math.min(...samples) - 1e-3);
        expect(baseline?.mean).toBeLessThanOrEqual(Math.max(...samples) * (1 + 1e-9) + 1e-3);
      }),
    );
  });
});

it.each([
  ["2026-06-01T00:00:00.000Z", 0], // a Monday
  ["2026-06-01T00:59:59.999Z", 0],
  ["2026-06-01T01:00:00.000Z", 1],
  ["2026-06-07T23:59:59.999Z", 167],
])("%s is hour %i of the week", (text, hour) => {
  expect(hourOfWeek(Date.parse(text))).toBe(hour);
});

it("a phase that did not happen is no sample", () => {
  const measured = {
    responseTimeUs: 1_500,
    dnsLookupUs: null,
    tlsHandshakeUs: null,
    ttfbUs: 10,
    contentTransferUs: null,
  };
  expect(metricValueOf(measured, "dns_lookup")).toBeUndefined();
  expect(metricValueOf(measured, "response_time")).toBe(1.5);
  expect(metricValueOf({ ...measured, webVitals: { cls: 0.02 } }, "cls")).toBe(0.02);
});
