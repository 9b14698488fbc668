import type { Knex } from "knex";

/** Who was told of an alert or an incident is asked over all channels; the index of waiting notifications can't answer it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX notifications_by_subject ON notifications (subject_id, key DESC) WHERE subject_id IS NOT NULL`);
}
