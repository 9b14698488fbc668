import type { Knex } from "knex";

/**
 * The foundation: teams and their people and keys, locations and runners, checks with their schedule's history, results
 * by day with their detail, rollups.
 *
 * Two kinds of key: `id` is what the API shows; `key` (bigint or integer) is what the hot tables carry. Results have no
 * id column: theirs is an encoding of (slot, check key, location key). Instants of the slot grid and of results are Unix
 * ms (`*_ms`); all others are timestamptz(3) (`*_at`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE plans (
      name text PRIMARY KEY,
      max_checks integer,
      max_locations_per_check integer,
      min_frequency_seconds integer NOT NULL DEFAULT 10,
      analysis_quota_per_month integer NOT NULL DEFAULT 50
    );
    INSERT INTO plans (name, max_checks, max_locations_per_check, min_frequency_seconds) VALUES
      ('self_hosted', NULL, NULL, 10), ('free', 10, 1, 10), ('pro', 500, NULL, 10);

    CREATE TABLE teams (
      id text PRIMARY KEY,
      name text NOT NULL,
      plan text NOT NULL DEFAULT 'self_hosted' REFERENCES plans (name),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3)
    );

    CREATE TABLE users (
      id text PRIMARY KEY,
      email text NOT NULL,
      name text,
      password_hash text,
      oidc_subject text UNIQUE,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3)
    );
    CREATE UNIQUE INDEX users_email_unique ON users (lower(email));

    CREATE TABLE memberships (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      role text NOT NULL CHECK (role IN ('owner', 'member')),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (team_id, user_id)
    );

    CREATE TABLE sessions (
      token_hash bytea PRIMARY KEY,
      user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL
    );
    CREATE TABLE sign_in_links (
      token_hash bytea PRIMARY KEY,
      user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      expires_at timestamptz(3) NOT NULL,
      used_at timestamptz(3)
    );

    CREATE TABLE api_keys (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      key_prefix text NOT NULL,
      key_hash bytea NOT NULL UNIQUE,
      source text NOT NULL CHECK (source IN ('manual', 'cli')),
      last_used_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE INDEX api_keys_by_team ON api_keys (team_id, created_at DESC);

    CREATE TABLE locations (
      key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      display_name text NOT NULL,
      region text NOT NULL,
      type text NOT NULL CHECK (type IN ('hosted', 'private')),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'deprecated', 'retired')),
      replaced_by text,
      latitude double precision,
      longitude double precision,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      deleted_at timestamptz(3),
      CHECK ((type = 'private') = (team_id IS NOT NULL))
    );
    COMMENT ON COLUMN locations.deleted_at IS 'A deleted location stays as a row while results name it';
    CREATE UNIQUE INDEX locations_name_unique ON locations (team_id, name) WHERE deleted_at IS NULL;

    CREATE TABLE runner_keys (
      id text PRIMARY KEY,
      location_key integer REFERENCES locations (key) ON DELETE CASCADE,
      name text NOT NULL,
      key_prefix text NOT NULL,
      key_hash bytea NOT NULL UNIQUE,
      last_used_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    COMMENT ON COLUMN runner_keys.location_key IS 'NULL: the key belongs to the hosted pool';
    CREATE INDEX runner_keys_by_location ON runner_keys (location_key);

    CREATE TABLE runners (
      key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      runner_uuid uuid NOT NULL,
      process_uuid uuid NOT NULL,
      location_key integer REFERENCES locations (key) ON DELETE CASCADE,
      runner_key_id text NOT NULL,
      location_keys integer[] NOT NULL,
      hostname text NOT NULL,
      version text NOT NULL,
      capabilities text[] NOT NULL,
      capacity_per_second integer NOT NULL,
      replica_id text NOT NULL,
      accepting boolean NOT NULL DEFAULT true,
      draining boolean NOT NULL DEFAULT false,
      stats jsonb NOT NULL DEFAULT '{}',
      connected_at timestamptz(3) NOT NULL,
      last_heartbeat_at timestamptz(3) NOT NULL,
      lease_until timestamptz(3) NOT NULL
    );
    COMMENT ON COLUMN runners.location_key IS 'NULL: a runner of the hosted pool';
    CREATE UNIQUE INDEX runners_uuid_unique ON runners (runner_uuid, coalesce(location_key, 0));
    CREATE INDEX runners_by_lease ON runners (lease_until);

    CREATE TABLE runner_presence (
      runner_key integer NOT NULL REFERENCES runners (key) ON DELETE CASCADE,
      location_key integer NOT NULL,
      capabilities text[] NOT NULL,
      from_ms bigint NOT NULL,
      until_ms bigint NOT NULL,
      PRIMARY KEY (location_key, runner_key, from_ms)
    );
    COMMENT ON TABLE runner_presence IS 'When a runner was alive at a location: why a slot is missing is read from it';

    CREATE TABLE checks (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      type text NOT NULL,
      config jsonb NOT NULL,
      config_secrets bytea,
      frequency_seconds integer NOT NULL,
      location_ids text[] NOT NULL,
      enabled boolean NOT NULL,
      retry jsonb,
      revision bigint NOT NULL,
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3)
    );
    COMMENT ON COLUMN checks.config_secrets IS 'the auth block, encrypted; merged into the config when it is read';
    COMMENT ON COLUMN checks.changed_xid IS 'transaction of the last change: replicas poll from their snapshot horizon, so none is missed';
    CREATE INDEX checks_by_team ON checks (team_id, created_at DESC, key DESC);
    CREATE INDEX checks_by_change ON checks (changed_xid);

    CREATE SEQUENCE check_revisions_seq;
    CREATE TABLE check_revisions (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      revision bigint NOT NULL,
      frequency_seconds integer NOT NULL,
      location_keys integer[] NOT NULL,
      enabled boolean NOT NULL,
      effective_from_ms bigint NOT NULL,
      effective_until_ms bigint,
      PRIMARY KEY (check_key, revision)
    );
    COMMENT ON TABLE check_revisions IS 'The schedule''s history: which slots were due, for coverage and for judging late results';

    CREATE TABLE check_deletions (
      check_key bigint PRIMARY KEY,
      deleted_at timestamptz(3) NOT NULL DEFAULT now(),
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      purged_at timestamptz(3)
    );
    COMMENT ON TABLE check_deletions IS 'Deleted checks: replicas learn of them here, a background job removes their results';
    CREATE INDEX check_deletions_by_change ON check_deletions (changed_xid);

    CREATE TABLE manual_runs (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      slot_ms bigint NOT NULL,
      location_keys integer[] NOT NULL,
      reason text NOT NULL CHECK (reason IN ('triggered', 'first_run')),
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (check_key, slot_ms)
    );
    CREATE INDEX manual_runs_by_change ON manual_runs (changed_xid);

    CREATE TABLE missed_slots (
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      slot_ms bigint NOT NULL,
      reason text NOT NULL,
      PRIMARY KEY (check_key, location_key, slot_ms)
    );
    COMMENT ON TABLE missed_slots IS 'Slots that runners gave back and nobody else could run, with the reason';

    CREATE TABLE results (
      check_key bigint NOT NULL,
      slot_ms bigint NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      trace_id uuid,
      location_key integer NOT NULL,
      runner_key integer NOT NULL,
      start_delay_ms integer NOT NULL,
      elapsed_us integer NOT NULL,
      response_time_us integer NOT NULL,
      dns_lookup_us integer,
      tcp_connect_us integer,
      tls_handshake_us integer,
      ttfb_us integer,
      content_transfer_us integer,
      http_status_code smallint,
      status smallint NOT NULL,
      PRIMARY KEY (check_key, location_key, slot_ms)
    ) PARTITION BY RANGE (slot_ms);
    COMMENT ON COLUMN results.status IS '1 success, 2 failure, 3 error, 4 timeout (svc.runner.v1.ResultStatus)';

    CREATE TABLE result_details (
      check_key bigint NOT NULL,
      slot_ms bigint NOT NULL,
      location_key integer NOT NULL,
      detail jsonb NOT NULL,
      PRIMARY KEY (check_key, location_key, slot_ms)
    ) PARTITION BY RANGE (slot_ms);

    CREATE TABLE tls_observations (
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      first_slot_ms bigint NOT NULL,
      fingerprint_sha256 text NOT NULL,
      facts jsonb NOT NULL,
      PRIMARY KEY (check_key, location_key, first_slot_ms)
    );
    COMMENT ON TABLE tls_observations IS 'What a location saw of a check''s certificate and connection: one row per change';

    CREATE TABLE rollups (
      bucket_seconds integer NOT NULL CHECK (bucket_seconds IN (300, 3600)),
      bucket_ms bigint NOT NULL,
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      success_count integer NOT NULL,
      failure_count integer NOT NULL,
      error_count integer NOT NULL,
      timeout_count integer NOT NULL,
      response_time_sum_us bigint NOT NULL,
      response_time_min_us integer NOT NULL,
      response_time_max_us integer NOT NULL,
      PRIMARY KEY (bucket_seconds, check_key, location_key, bucket_ms)
    ) PARTITION BY LIST (bucket_seconds);
    CREATE TABLE rollups_5m PARTITION OF rollups FOR VALUES IN (300);
    CREATE TABLE rollups_1h PARTITION OF rollups FOR VALUES IN (3600);
    CREATE INDEX rollups_5m_by_bucket ON rollups_5m USING brin (bucket_ms);
    CREATE INDEX rollups_1h_by_bucket ON rollups_1h USING brin (bucket_ms);

    CREATE TABLE rollup_dirty_buckets (
      bucket_ms bigint NOT NULL,
      marked_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (bucket_ms, marked_xid)
    );
    COMMENT ON TABLE rollup_dirty_buckets IS '5 minute buckets that late results touched: to be computed again';

    CREATE TABLE job_progress (
      job text PRIMARY KEY,
      done_until_ms bigint NOT NULL
    );
  `);
}
