import type { Knex } from "knex";

/** Why slots of the counted days are missing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE report_days ADD COLUMN missing_reasons jsonb;
    COMMENT ON COLUMN report_days.missing_reasons IS 'number of missing slots by reason; null: none is missing, or the release that counted the day kept no reasons';
  `);
}
