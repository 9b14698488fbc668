/** API keys: made, shown once, and revoked. */
import type { apiKeyRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keysQuery } from "../../api/queries/team.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the keys. */
export default function Keys() {
  const keys = useQuery(keysQuery);
  const mayChange = useMayChange();
  return (
    <Page title="API keys">
      {mayChange && <CreateKey />}
      <Loaded query={keys}>
        {({ keys: rows }) =>
          rows.length === 0 ? (
            <Empty>There is no key yet. A key lets the command line and other programs use the API.</Empty>
          ) : (
            <Table
              name="API keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
                { title: "Begins with", cell: ({ keyPrefix }) => <code>{keyPrefix}</code> },
                { title: "Role", cell: ({ role }) => role },
                { title: "Created", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                {
                  title: "Last used",
                  cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />),
                },
                {
                  title: "Ends",
                  cell: ({ expiresAt }) => (expiresAt === null ? "never" : instantText(expiresAt)),
                },
                {
                  title: "Revoke",
                  cell: ({ id }) =>
                    mayChange && (
                      <Action
                        label="Revoke"
                        isQuiet
                        act={() =>
                          request<typeof apiKeyRoutes.delete>("DELETE", "/api/api-keys/:id", {
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

function CreateKey() {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    try {
      const { key } = await request<typeof apiKeyRoutes.create>("POST", "/api/api-keys", {
        body: { name: String(fields.get("name")), role: fields.get("reads") === "on" ? "viewer" : "member" },
      });
      setProblem(undefined);
      setSecret(key.secret);
      form.reset();
      await client.invalidateQueries({ queryKey: keysQuery.queryKey });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form className="row" onSubmit={(event) => void create(event)}>
      <label>
        Name of the key
        <input name="name" required maxLength={100} />
      </label>
      <label>
        <input type="checkbox" name="reads" /> Only reads
      </label>
      <button type="submit">Create key</button>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {secret !== undefined && (
        <ShownOnce
          title="Your new key"
          advice="Copy it now. It is not shown again."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </form>
  );
}
