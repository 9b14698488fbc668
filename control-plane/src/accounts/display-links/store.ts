/** SQL of display links. Every statement but the one by a secret names the team. */
import type { CreateDisplayLink, Display, DisplayLink, DisplayLinkId, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = ["id", "name", "label", "groupBy", "rotateSeconds", "createdAt", "expiresAt"] as const;

/** Returns the team's links, the newest first. */
export async function listDisplayLinkRows(db: Knex, teamId: TeamId): Promise<DisplayLink[]> {
  return db("displayLinks")
    .where({ teamId })
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select(COLUMNS)
    .select("createdBy", "lastUsedAt", "lastUsedAddress")
    .select({ createdByName: db("users").whereRaw("users.id = display_links.created_by").select("email") });
}

/** A link as it is stored for the first time. */
export interface NewDisplayLink extends Omit<CreateDisplayLink, "expiresAt"> {
  id: DisplayLinkId;
  teamId: TeamId;
  secretHash: Buffer;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** A link as its row has it. */
type StoredDisplayLink = Pick<DisplayLink, (typeof COLUMNS)[number]>;

/** Stores a link, removes the team's expired ones, and returns the link with the number that the team then has. */
export async function insertDisplayLink(
  trx: Knex,
  row: NewDisplayLink,
): Promise<{ stored: StoredDisplayLink; count: number }> {
  const { teamId, createdAt } = row;
  // Those who make a link at once are counted one after the other.
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  await trx("displayLinks").where({ teamId }).where("expiresAt", "<=", createdAt).delete();
  const [stored] = await trx("displayLinks").insert(row).returning(COLUMNS);
  const counted = await trx("displayLinks").where({ teamId }).count({ count: "*" }).first();
  return { stored, count: Number(counted?.count) };
}

/** Deletes a link and returns its name; undefined when the team has no such link. */
export async function deleteDisplayLinkRow(
  trx: Knex,
  { teamId, id }: { teamId: TeamId; id: DisplayLinkId },
): Promise<string | undefined> {
  const [deleted] = await trx("displayLinks").where({ teamId, id }).delete().returning("name");
  return deleted?.name;
}

/** Returns the link whose secret has this hash and that has not expired, as a screen sees it; undefined when there is none. */
export async function findDisplay(
  db: Knex,
  { secretHash, now }: { secretHash: Buffer; now: Date },
): Promise<Display | undefined> {
  return db("displayLinks")
    .join("teams", "teams.id", "displayLinks.teamId")
    .where({ secretHash })
    .where("displayLinks.expiresAt", ">", now)
    .first(
      ...["id", "name", "label", "groupBy", "rotateSeconds", "expiresAt"].map(
        (name) => `displayLinks.${name}`,
      ),
      "teams.name as teamName",
    );
}
