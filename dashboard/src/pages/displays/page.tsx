/** Display links: made, shown once, and revoked. Each opens the wall on a screen, and nothing else. */
import type { displayLinkRoutes, WallGrouping } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { displayLinksQuery } from "../../api/queries/team.ts";
import { type Answer, request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type DisplayLink = Answer<typeof displayLinkRoutes.list>["displayLinks"][number];

const GROUPINGS = [
  ["", "not grouped"],
  ["label", "by label"],
  ["location", "by location"],
  ["type", "by type"],
] as const satisfies readonly (readonly [WallGrouping | "", string])[];

/** Shows the links. */
export default function Displays() {
  const links = useQuery(displayLinksQuery);
  const mayChange = useMayChange();
  return (
    <Page title="Displays">
      <p>
        A display link opens the wall on a screen where nobody is signed in. It reads how all checks of the
        team stand, and nothing else. It belongs to the team, and works on any number of screens until it is
        revoked or ends.
      </p>
      {mayChange && <CreateLink />}
      <Loaded query={links}>
        {({ displayLinks: rows }) =>
          rows.length === 0 ? (
            <Empty>There is no display link yet.</Empty>
          ) : (
            <Table
              name="Display links"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
                { title: "Shows", cell: (link) => <Text>{viewText(link)}</Text> },
                {
                  title: "Made by",
                  cell: ({ createdByName }) => <Text>{createdByName ?? "a former member"}</Text>,
                },
                {
                  title: "Last used",
                  cell: ({ lastUsedAt, lastUsedAddress }) =>
                    lastUsedAt === null ? (
                      "never"
                    ) : (
                      <>
                        <Ago at={lastUsedAt} /> <span className="quiet">from {lastUsedAddress}</span>
                      </>
                    ),
                },
                { title: "Works until", cell: ({ expiresAt }) => instantText(expiresAt) },
                {
                  title: "Revoke",
                  cell: ({ id }) =>
                    mayChange && (
                      <Action
                        label="Revoke"
                        isQuiet
                        act={() =>
                          request<typeof displayLinkRoutes.delete>("DELETE", "/api/display-links/:id", {
                            params: { id },
                          })
                        }
                      />
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Says which checks a link's wall shows, and how. */
function viewText({ label, groupBy, rotateSeconds }: DisplayLink): string {
  return [
    label === null ? "all checks" : `checks with ${label}`,
    ...(groupBy === null ? [] : [`by ${groupBy}`]),
    ...(rotateSeconds === null ? [] : [`in turn, ${rotateSeconds} s each`]),
  ].join(", ");
}

function CreateLink() {
  const client = useQueryClient();
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name)).trim() || null;
    try {
      const { displayLink } = await request<typeof displayLinkRoutes.create>("POST", "/api/display-links", {
        body: {
          name: text("name") ?? undefined,
          label: text("label"),
          groupBy: text("groupBy") as WallGrouping | null,
          rotateSeconds: text("rotateSeconds") === null ? null : Number(text("rotateSeconds")),
        },
      });
      setProblem(undefined);
      setUrl(displayLink.url);
      form.reset();
      await client.invalidateQueries({ queryKey: displayLinksQuery.queryKey });
    } catch (error) {
      const { message, details = [] } = error as Error & { details?: readonly string[] };
      setProblem([message, ...details].join(". "));
    }
  };
  return (
    <form className="row" onSubmit={(event) => void create(event)}>
      <label>
        Name of the screen <input name="name" required maxLength={100} />
      </label>
      <label>
        Only checks with the label <input name="label" maxLength={128} />
      </label>
      <label>
        Grouped{" "}
        <select name="groupBy">
          {GROUPINGS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Seconds for each page <input name="rotateSeconds" type="number" min={5} max={3600} />
      </label>
      <button type="submit">Create display link</button>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {url !== undefined && (
        <ShownOnce
          title="Your new display link"
          advice="Open it on the screen, or set it as the page that the screen starts with. Whoever has it sees the wall. It is not shown again."
          secret={url}
          onClose={() => setUrl(undefined)}
        />
      )}
    </form>
  );
}
