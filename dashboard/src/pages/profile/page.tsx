/** The person's own account: sessions, password, and the teams to work in. */
import { type authRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { signInOptionsQuery, signInSessionsQuery } from "../../api/queries/session.ts";
import { request } from "../../api/request.ts";
import { useSession } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { PreferencesPanel } from "./preferences-panel.tsx";

/** Shows the account. */
export default function Profile() {
  const { user } = useSession();
  const options = useQuery(signInOptionsQuery);
  return (
    <Page title="Your account">
      <p>
        Signed in as <Text>{user.email}</Text>
      </p>
      <PreferencesPanel />
      <Teams />
      <Sessions />
      {options.data?.password && <Password />}
    </Page>
  );
}

function Teams() {
  const { team, teams } = useSession();
  const goTo = async (teamId: string) => {
    await request<typeof authRoutes.switchTeam>("POST", "/api/auth/team", { body: { teamId } });
    // A full load, so that nothing of the former team stays in memory.
    location.assign(pagePath("overview", {}));
  };
  return (
    <Panel title="Teams">
      <ul className="plain">
        {teams.map(({ id, name, role }) => (
          <li key={id}>
            <Text>{name}</Text> ({role}){" "}
            {id === team.id ? "you are here" : <Action label="Go on here" isQuiet act={() => goTo(id)} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Sessions() {
  const sessions = useQuery(signInSessionsQuery);
  return (
    <Panel title="Sessions">
      <Loaded query={sessions}>
        {({ sessions: rows }) => (
          <Table
            name="Sessions"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Browser", cell: ({ userAgent }) => <Text>{userAgent ?? "unknown"}</Text> },
              { title: "Address", cell: ({ address }) => address ?? "unknown" },
              { title: "Began", cell: ({ createdAt }) => <Ago at={createdAt} /> },
              {
                title: "End",
                cell: ({ id, isCurrent }) =>
                  isCurrent ? (
                    "this one"
                  ) : (
                    <Action
                      label="End"
                      isQuiet
                      act={() =>
                        request<typeof authRoutes.deleteSignInSession>("DELETE", "/api/auth/sessions/:id", {
                          params: { id },
                        })
                      }
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function Password() {
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<{ text: string; isProblem: boolean }>();
  const change = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const currentPassword = String(fields.get("current"));
    try {
      await request<typeof authRoutes.setPassword>("POST", "/api/auth/password", {
        body: {
          newPassword: String(fields.get("next")),
          ...(currentPassword !== "" && { currentPassword }),
        },
      });
      form.reset();
      setOutcome({ text: "Changed. Your other sessions have ended.", isProblem: false });
      await client.invalidateQueries();
    } catch (error) {
      setOutcome({ text: (error as Error).message, isProblem: true });
    }
  };
  return (
    <Panel title="Password">
      <form className="row" onSubmit={(event) => void change(event)}>
        <label>
          Current password{" "}
          <input name="current" type="password" autoComplete="current-password" maxLength={1024} />
        </label>
        <label>
          New password{" "}
          <input
            name="next"
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            maxLength={1024}
          />
        </label>
        <button type="submit">Change password</button>
        {outcome && <p role={outcome.isProblem ? "alert" : "status"}>{outcome.text}</p>}
      </form>
    </Panel>
  );
}
