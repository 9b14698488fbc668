import type { Knex } from "knex";

/** Notifications that a channel's quiet hours hold, and those that are not sent since their matter was over at the end. */
export async function up(knex: Knex): Promise<void> {
  // NOT VALID: the rows that are there keep to the narrower rule of before, so nothing has to be read.
  await knex.raw(`
    ALTER TABLE notifications ADD COLUMN held_until timestamptz(3);
    COMMENT ON COLUMN notifications.held_until IS 'End of the quiet hours that hold the notification, or held it last; null: none did';
    ALTER TABLE notifications DROP CONSTRAINT notifications_status_check;
    ALTER TABLE notifications ADD CONSTRAINT notifications_status_check
      CHECK (status IN ('pending', 'delivered', 'failed', 'skipped')) NOT VALID;
    ALTER TABLE notification_deliveries DROP CONSTRAINT notification_deliveries_status_check;
    ALTER TABLE notification_deliveries ADD CONSTRAINT notification_deliveries_status_check
      CHECK (status IN ('delivered', 'failed', 'skipped_dedupe', 'held', 'skipped_over')) NOT VALID;
  `);
}
