import type { Knex } from "knex";

/** Distribution of response times and times of the phases in the hourly rollups; hours that were counted before have none. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE rollups ADD COLUMN response_time_histogram bytea, ADD COLUMN phase_sums_us bigint[];
    COMMENT ON COLUMN rollups.response_time_histogram IS 'of hours: 4 bytes for each class of response times that occurs, count * 256 + class';
    COMMENT ON COLUMN rollups.phase_sums_us IS 'of hours: sums over all results of DNS, TCP, TLS, waiting, transfer';
  `);
}
