/** Attribute names that only feed events have; for the others see records/attributes.ts. */
export const FEED_ATTR = {
  responseTime: "synthetics.http.response_time",
  isSuccess: "synthetics.check.success",
  httpStatusCode: "synthetics.http.status_code",
  errorMessage: "synthetics.check.error_message",
  alertChannelType: "synthetics.alert.channel_type",
  alertContext: "synthetics.alert.context",
  alertDetails: "synthetics.alert.details",
} as const;
