/** SQL of status pages and their components. Reads for a caller name the team; reads for the public name a published slug. */
import { type CheckId, isId, STATUS_LABEL_CHECKS_MAX, type StatusPageId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";

/** A component of a page: it has the id of its check, or labels. */
export interface ComponentRow {
  /** Place as it was stored, from 0. Deleted checks leave gaps, so that it is not the index in a list. */
  position: number;
  name: string;
  checkId: CheckId | null;
  labels: string[] | null;
}

/** A status page as its verbs read it. */
export interface PageRow {
  key: number;
  id: StatusPageId;
  teamId: TeamId;
  slug: string;
  title: string;
  description: string;
  isPublished: boolean;
  hasMailSubscriptions: boolean;
  components: ComponentRow[];
  checkCount: number;
  /** Confirmed subscribers. */
  subscriberCount: number;
  createdAt: string;
  updatedAt: string | null;
}

/** Checks of a page that are counted. */
const COUNTED_MAX = 1_000;

/** True when the check of the label `l` has all labels of the component `k`. */
const HAS_ALL_LABELS = `(SELECT count(*) FROM check_labels m
    WHERE m.check_key = l.check_key AND m.label = ANY(k.labels)) = cardinality(k.labels)`;

/**
 * Returns SQL of the checks of the component `k` of the page `p`. Of labels, the one that the fewest checks have is looked through.
 * When more have that one than may be read, some of them are returned as they come: more than fit into a page.
 * @param rowsMax SQL of the most checks by labels to return
 */
const checksOfComponent = (rowsMax: string) => `
  SELECT k.check_key WHERE k.check_key IS NOT NULL
  UNION ALL
  (SELECT l.check_key FROM (
     SELECT a.label, b.checks FROM unnest(k.labels) a (label) CROSS JOIN LATERAL (
       SELECT count(*) AS checks FROM (
         SELECT FROM check_labels c WHERE c.team_id = p.team_id AND c.label = a.label
         LIMIT ${STATUS_LABEL_CHECKS_MAX + 1}) few) b
     ORDER BY b.checks LIMIT 1) r
   JOIN check_labels l ON l.team_id = p.team_id AND l.label = r.label
   WHERE k.check_key IS NULL AND (r.checks > ${STATUS_LABEL_CHECKS_MAX} OR ${HAS_ALL_LABELS})
   LIMIT ${rowsMax})`;

const PAGES = `
  SELECT p.key, p.id, p.team_id, p.slug, p.title, p.description, p.is_published, p.has_mail_subscriptions, p.created_at, p.updated_at,
    (SELECT coalesce(json_agg(json_build_object('position', k.position, 'name', k.name, 'checkId', c.id, 'labels', k.labels)
       ORDER BY k.position), '[]')
     FROM status_page_components k LEFT JOIN checks c ON c.key = k.check_key WHERE k.page_key = p.key) AS components,
    (SELECT count(DISTINCT n.check_key)::integer FROM (
       SELECT o.check_key FROM status_page_components k CROSS JOIN LATERAL (${checksOfComponent(`${COUNTED_MAX}`)}) o
       WHERE k.page_key = p.key LIMIT ${COUNTED_MAX}) n) AS check_count,
    (SELECT count(*)::integer FROM status_subscribers s WHERE s.page_key = p.key AND s.confirmed_at IS NOT NULL) AS subscriber_count
  FROM status_pages p`;

/** Returns a part of the list of the team's pages, newest first. */
export function listPageRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<PageRow[]> {
  const [createdAt, key] = after ?? [];
  return queryRows(
    db,
    `${PAGES} WHERE p.team_id = :teamId
       ${after ? "AND (p.created_at, p.key) < (CAST(:createdAt AS timestamptz), CAST(:key AS bigint))" : ""}
     ORDER BY p.created_at DESC, p.key DESC LIMIT :rowsMax`,
    { teamId, rowsMax, ...(after && { createdAt, key }) },
  );
}

/** Returns a page of the team; undefined when the team has none with this id. */
export async function findPageRow(db: Knex, teamId: TeamId, id: StatusPageId): Promise<PageRow | undefined> {
  if (!isId("statusPage", id)) return undefined;
  const [row] = await queryRows<PageRow>(db, `${PAGES} WHERE p.team_id = :teamId AND p.id = :id`, {
    teamId,
    id,
  });
  return row;
}

/** Returns a page of the team, locked until the transaction ends: changes of a page and of its notices follow one another. */
export async function lockPageRow(trx: Knex, teamId: TeamId, id: StatusPageId): Promise<PageRow | undefined> {
  if (!isId("statusPage", id)) return undefined;
  await trx("statusPages").where({ teamId, id }).forUpdate().first("key");
  return findPageRow(trx, teamId, id);
}

/** Returns the published page with the slug, of whichever team. */
export async function findPublishedPage(db: Knex, slug: string): Promise<PageRow | undefined> {
  const [row] = await queryRows<PageRow>(db, `${PAGES} WHERE p.slug = :slug AND p.is_published`, { slug });
  return row;
}

/** True when a page with the slug is published: one look at an index. */
export async function isPublished(db: Knex, slug: string): Promise<boolean> {
  const rows = await queryRows(db, "SELECT 1 FROM status_pages WHERE slug = ? AND is_published", [slug]);
  return rows.length > 0;
}

/** Returns the slugs of all published pages, of all teams. */
export async function listPublishedSlugs(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ slug: string }>(
    db,
    "SELECT slug FROM status_pages WHERE is_published ORDER BY slug",
  );
  return rows.map(({ slug }) => slug);
}

/** Columns of a page that its verbs write. */
export interface PageValues {
  slug: string;
  title: string;
  description: string;
  isPublished: boolean;
  hasMailSubscriptions: boolean;
}

/** Stores a page without its components, and returns its key. */
export async function insertPage(
  trx: Knex,
  { createdAtMs, ...values }: PageValues & { id: StatusPageId; teamId: TeamId; createdAtMs: number },
): Promise<number> {
  const createdAt = new Date(createdAtMs);
  const [row] = await trx("statusPages")
    .insert({ ...values, createdAt, ...(values.isPublished && { publishedAt: createdAt }) })
    .returning("key");
  return row.key;
}

/** Updates the columns of a page. */
export async function patchPage(
  trx: Knex,
  key: number,
  { updatedAtMs, ...values }: PageValues & { updatedAtMs: number },
): Promise<void> {
  const updatedAt = new Date(updatedAtMs);
  if (values.isPublished)
    await trx("statusPages").where({ key, isPublished: false }).update({ publishedAt: updatedAt });
  await trx("statusPages")
    .where({ key })
    .update({ ...values, updatedAt });
}

/** Deletes a page with its components, notices and subscribers. */
export async function deletePageRow(trx: Knex, key: number): Promise<void> {
  await trx("statusPages").where({ key }).delete();
}

/** A component to store: it has the key of a check, or labels. */
export interface NewComponent {
  name: string;
  checkKey: number | null;
  labels: readonly string[] | null;
}

/** Makes these the components of a page, in this order. */
export async function replaceComponents(
  trx: Knex,
  pageKey: number,
  components: readonly NewComponent[],
): Promise<void> {
  await trx("statusPageComponents").where({ pageKey }).delete();
  if (components.length > 0)
    await trx("statusPageComponents").insert(
      components.map(({ labels, ...component }, position) => ({
        ...component,
        labels: labels && [...labels],
        pageKey,
        position,
      })),
    );
}

/** A check that a component of a page stands for; `position` is that of its {@link ComponentRow}. */
export interface ComponentCheck {
  position: number;
  key: number;
  id: CheckId;
}

/**
 * Returns the checks of a page's components, in the order of the components, and of the checks' age within one.
 * @param checksMax checks at most of each component that are wanted; of one with more, at least one more than that is returned
 */
export function readComponentChecks(db: Knex, pageKey: number, checksMax: number): Promise<ComponentCheck[]> {
  return queryRows(
    db,
    `SELECT k.position, c.key, c.id
     FROM status_pages p JOIN status_page_components k ON k.page_key = p.key
     CROSS JOIN LATERAL (${checksOfComponent("CAST(:rowsMax AS integer)")}) n
     JOIN checks c ON c.key = n.check_key
     WHERE p.key = :pageKey ORDER BY k.position, c.key`,
    { pageKey, rowsMax: checksMax + 1 },
  );
}
