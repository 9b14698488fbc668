import type { Knex } from "knex";

/** Who subscribes to status pages, and what is on its way to them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE status_pages ADD COLUMN has_mail_subscriptions boolean NOT NULL DEFAULT false, ADD COLUMN published_at timestamptz(3);
    COMMENT ON COLUMN status_pages.published_at IS 'when it was last made public; null: before this was recorded, or never';
    ALTER TABLE status_notices ADD COLUMN times_set_at timestamptz(3);
    COMMENT ON COLUMN status_notices.times_set_at IS 'when its start or end was last changed; null: never since it was made';

    CREATE TABLE status_subscribers (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      page_key bigint NOT NULL REFERENCES status_pages (key) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      type text NOT NULL CHECK (type IN ('email', 'webhook')),
      address text,
      endpoint_sealed bytea,
      link_key bytea,
      created_at timestamptz(3) NOT NULL,
      confirmed_at timestamptz(3),
      unconfirmed_until timestamptz(3)
    );
    COMMENT ON COLUMN status_subscribers.address IS 'mail address in lower case; null: a webhook';
    COMMENT ON COLUMN status_subscribers.endpoint_sealed IS 'URL and secret of a webhook';
    COMMENT ON COLUMN status_subscribers.link_key IS 'signs the links of mails; under no key of the service, so that they work as long as the row is there';
    COMMENT ON COLUMN status_subscribers.unconfirmed_until IS 'when the row goes unless it is confirmed; null: it is';
    CREATE UNIQUE INDEX status_subscribers_by_address ON status_subscribers (page_key, address);
    CREATE INDEX status_subscribers_by_page ON status_subscribers (page_key, key);
    CREATE INDEX status_subscribers_confirmed ON status_subscribers (page_key) WHERE confirmed_at IS NOT NULL;
    CREATE INDEX status_subscribers_by_team ON status_subscribers (team_id, key);
    CREATE INDEX status_subscribers_unconfirmed ON status_subscribers (unconfirmed_until) WHERE unconfirmed_until IS NOT NULL;

    CREATE INDEX status_notices_by_begin ON status_notices (starts_at) WHERE kind = 'maintenance';
    CREATE INDEX status_notices_by_end ON status_notices (ends_at) WHERE kind = 'maintenance';

    CREATE TABLE status_subscription_requests (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL,
      page_key bigint NOT NULL,
      address_hash bytea NOT NULL,
      is_mailed boolean NOT NULL,
      requested_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE status_subscription_requests IS 'counted over a day, also after the team, page or subscriber is gone';
    COMMENT ON COLUMN status_subscription_requests.is_mailed IS 'false: nothing was sent to the address';
    CREATE INDEX status_subscription_requests_by_address ON status_subscription_requests (address_hash, requested_at);
    CREATE INDEX status_subscription_requests_by_page ON status_subscription_requests (page_key, requested_at);
    CREATE INDEX status_subscription_requests_by_team ON status_subscription_requests (team_id, requested_at);
    CREATE INDEX status_subscription_requests_by_time ON status_subscription_requests (requested_at);

    CREATE TABLE status_announcements (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      page_key bigint NOT NULL REFERENCES status_pages (key) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      notice_key bigint NOT NULL REFERENCES status_notices (key) ON DELETE CASCADE,
      occasion text NOT NULL,
      content jsonb NOT NULL,
      announced_at timestamptz(3) NOT NULL,
      handed_out_to bigint NOT NULL DEFAULT 0,
      is_handed_out boolean NOT NULL DEFAULT false
    );
    COMMENT ON COLUMN status_announcements.handed_out_to IS 'key of the last subscriber that has a delivery';
    CREATE UNIQUE INDEX status_announcements_by_occasion ON status_announcements (notice_key, occasion);
    CREATE INDEX status_announcements_waiting ON status_announcements (page_key, key) WHERE NOT is_handed_out;
    CREATE INDEX status_announcements_by_page ON status_announcements (page_key);
    CREATE INDEX status_announcements_by_team ON status_announcements (team_id);
    CREATE INDEX status_announcements_by_time ON status_announcements (announced_at);

    CREATE TABLE status_deliveries (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      subscriber_key bigint NOT NULL REFERENCES status_subscribers (key) ON DELETE CASCADE,
      announcement_key bigint REFERENCES status_announcements (key) ON DELETE CASCADE,
      type text NOT NULL CHECK (type IN ('email', 'webhook')),
      attempts integer NOT NULL DEFAULT 0,
      timeouts integer NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL,
      due_at timestamptz(3) NOT NULL
    );
    COMMENT ON COLUMN status_deliveries.announcement_key IS 'null: the mail by which a subscription is confirmed';
    COMMENT ON COLUMN status_deliveries.timeouts IS 'attempts that ran out of time, after which a mail may have been taken';
    COMMENT ON COLUMN status_deliveries.due_at IS 'of a claimed row: the end of its lease';
    CREATE UNIQUE INDEX status_deliveries_once ON status_deliveries (subscriber_key, announcement_key);
    CREATE INDEX status_deliveries_in_order ON status_deliveries (subscriber_key, key);
    CREATE INDEX status_deliveries_due ON status_deliveries (type, team_id, due_at, key);
    CREATE INDEX status_deliveries_confirmations ON status_deliveries (team_id, due_at, key) WHERE announcement_key IS NULL;
    CREATE INDEX status_deliveries_by_announcement ON status_deliveries (announcement_key);
    CREATE INDEX status_deliveries_by_team ON status_deliveries (team_id);
    CREATE INDEX status_deliveries_by_time ON status_deliveries (created_at);
  `);
}
