/** The team's people: who is in it with which role; owners invite, change roles and remove. */
import type { Member, teamRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { invitationsQuery, membersQuery } from "../../api/queries/team.ts";
import { request } from "../../api/request.ts";
import { useIsOwner } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Role = Member["role"];

const ROLES = [
  ["member", "Member: everything but people"],
  ["viewer", "Viewer: only reads"],
  ["owner", "Owner: everything"],
] as const satisfies readonly (readonly [Role, string])[];

/** Shows the people. */
export default function Members() {
  const members = useQuery(membersQuery);
  const isOwner = useIsOwner();
  return (
    <Page title="Members">
      {isOwner && <Invite />}
      <Loaded query={members}>
        {({ members: rows }) => (
          <Table
            name="Members"
            rows={rows}
            keyOf={({ userId }) => userId}
            columns={[
              { title: "Email", cell: ({ email }) => <Text>{email}</Text> },
              { title: "Role", cell: (member) => (isOwner ? <ChangeRole member={member} /> : member.role) },
              { title: "Joined", cell: ({ joinedAt }) => <Ago at={joinedAt} /> },
              {
                title: "Last seen",
                cell: ({ lastSeenAt }) => (lastSeenAt === null ? "never" : <Ago at={lastSeenAt} />),
              },
              {
                title: "Remove",
                cell: ({ userId }) =>
                  isOwner && (
                    <Action
                      label="Remove"
                      isQuiet
                      act={() =>
                        request<typeof teamRoutes.removeMember>("DELETE", "/api/team/members/:userId", {
                          params: { userId },
                        })
                      }
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {isOwner && <Invitations />}
    </Page>
  );
}

function ChangeRole({
  member: { userId, email, role },
}: {
  member: { userId: string; email: string; role: Role };
}) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const change = async (next: Role) => {
    try {
      await request<typeof teamRoutes.updateMember>("PUT", "/api/team/members/:userId", {
        params: { userId },
        body: { role: next },
      });
      setProblem(undefined);
    } catch (error) {
      setProblem((error as Error).message);
    }
    await client.invalidateQueries();
  };
  return (
    <>
      <select
        aria-label={`Role of ${email}`}
        value={role}
        onChange={({ target: { value } }) => void change(value as Role)}
      >
        {ROLES.map(([value]) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
      {problem !== undefined && (
        <span role="alert" className="refusal">
          {problem}
        </span>
      )}
    </>
  );
}

function Invite() {
  const client = useQueryClient();
  const [link, setLink] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const invite = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    try {
      const { invitation } = await request<typeof teamRoutes.createInvitation>(
        "POST",
        "/api/team/invitations",
        {
          body: { email: String(fields.get("email")), role: String(fields.get("role")) as Role },
        },
      );
      setProblem(undefined);
      setLink(invitation.link);
      form.reset();
      await client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form className="row" onSubmit={(event) => void invite(event)}>
      <label>
        Email address <input name="email" type="email" required maxLength={320} />
      </label>
      <label>
        Role{" "}
        <select name="role">
          {ROLES.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Invite</button>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {link !== undefined && (
        <ShownOnce
          title="Invitation"
          advice="Send this link to the person yourself. It works once, for 7 days, and is not shown again."
          secret={link}
          onClose={() => setLink(undefined)}
        />
      )}
    </form>
  );
}

function Invitations() {
  const invitations = useQuery(invitationsQuery);
  return (
    <Panel title="Open invitations">
      <Loaded query={invitations}>
        {({ invitations: rows }) =>
          rows.length === 0 ? (
            <Empty>Nobody has an invitation that waits.</Empty>
          ) : (
            <Table
              name="Invitations"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Email", cell: ({ email }) => <Text>{email}</Text> },
                { title: "Role", cell: ({ role }) => role },
                { title: "Works until", cell: ({ expiresAt }) => instantText(expiresAt) },
                {
                  title: "Withdraw",
                  cell: ({ id }) => (
                    <Action
                      label="Withdraw"
                      isQuiet
                      act={() =>
                        request<typeof teamRoutes.deleteInvitation>("DELETE", "/api/team/invitations/:id", {
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
    </Panel>
  );
}
