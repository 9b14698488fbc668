/** Metrics of a result that are compared with their baseline. */
export const BASELINE_METRICS = [
  "response_time",
  "dns_lookup",
  "tls_handshake",
  "ttfb",
  "content_transfer",
  "lcp",
  "fcp",
  "cls",
] as const;
/** Name of a metric that has a baseline. */
export type BaselineMetric = (typeof BASELINE_METRICS)[number];
