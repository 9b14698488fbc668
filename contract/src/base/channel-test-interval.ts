/** Shortest time between two tests of a notification channel. */
export const CHANNEL_TEST_INTERVAL_SECONDS = 60;
