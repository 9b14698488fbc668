/** The config projects: what each deployed last, and the drift that its next deploy would meet. */
import type { deployBaselineRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "../../api/queries/deploys.ts";
import type { Answer } from "../../api/request.ts";
import { RECORDS } from "../../shell/change-list.tsx";
import { Ago } from "../../time/ago.tsx";
import { countText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Project = Answer<typeof deployBaselineRoutes.listProjects>["projects"][number];
type Changed = Project["changed"][number];

/** Shows the projects by name. */
export default function Projects() {
  const query = useQuery(projectsQuery);
  return (
    <Page title="Projects">
      <Loaded query={query}>
        {({ projects }) =>
          projects.length === 0 ? (
            <Empty>
              <p>Checks, rules, SLOs and channels can live in a repository, and be deployed from there:</p>
              <pre>npx svc init && npx svc deploy</pre>
              <p>
                <PageLink page="exportProject" parameters={{}}>
                  Export what this team has
                </PageLink>{" "}
                to begin with it.
              </p>
            </Empty>
          ) : (
            projects.map((project) => <OneProject key={project.project} project={project} />)
          )
        }
      </Loaded>
    </Page>
  );
}

function OneProject({ project: { project, deployedAt, resources, changed } }: { project: Project }) {
  return (
    <Panel title={project}>
      <p>
        Deployed <Ago at={deployedAt} />: {contentOf(resources)}.
      </p>
      {changed.length === 0 ? (
        <p className="quiet">Nothing of it was changed here since.</p>
      ) : (
        <>
          <p className="problem">
            {countText(changed.length, "resource")} changed here since the last deploy:{" "}
            <code>svc deploy</code> will stop there. <code>svc pull</code> takes the changes over into the
            config.
          </p>
          <Table
            name={`Changed since the last deploy of ${project}`}
            rows={changed}
            keyOf={({ resourceId }) => resourceId}
            columns={[
              { title: "Resource", cell: (resource) => <Resource resource={resource} /> },
              { title: "Changed", cell: (resource) => <Text>{deedOf(resource)}</Text> },
              { title: "By", cell: ({ author }) => <Text>{author ?? "svc itself"}</Text> },
              { title: "When", cell: ({ changedAt }) => <Ago at={changedAt} /> },
            ]}
          />
        </>
      )}
    </Panel>
  );
}

/** Returns the resources of a project by kind, in words. */
function contentOf(resources: Project["resources"]): string {
  const parts = resources.map(({ kind, count }) => countText(count, wordOf(kind)));
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function wordOf(kind: Changed["kind"]): string {
  const word = RECORDS[kind];
  return word === word.toUpperCase() ? word : word.toLowerCase();
}

function deedOf({ isDeleted, fields }: Changed): string {
  if (isDeleted) return "deleted";
  return fields.length === 0 ? "changed" : `${countText(fields.length, "field")}: ${fields.join(", ")}`;
}

function Resource({ resource: { kind, name, resourceId, isDeleted } }: { resource: Changed }) {
  return (
    <>
      {RECORDS[kind]}{" "}
      {kind === "check" && !isDeleted ? (
        <PageLink page="check" parameters={{ id: resourceId }}>
          <Text>{name}</Text>
        </PageLink>
      ) : (
        <Text>{name}</Text>
      )}
    </>
  );
}
