/** The parts of the newest result that only one type of check has: a page's vitals and pictures, or an MCP server's report. */
import "./check.css";
import { useQuery } from "@tanstack/react-query";
import { resultQuery } from "../../api/queries/checks.ts";
import { lastDriftQuery } from "../../api/queries/drift.ts";
import { McpDrift } from "../../evidence/mcp-drift.tsx";
import { McpServerReport } from "../../evidence/mcp-server.tsx";
import { ownPath } from "../../evidence/own-path.ts";
import { VitalFigures } from "../../evidence/web-vitals.tsx";
import { resultStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import type { LoadedCheck } from "./tab-props.ts";

/** A result that is shown, and the names of locations. */
interface NewestProps {
  result: LoadedCheck["results"][number];
  nameOf(locationId: string): string;
}

/** Reads the evidence of a result; until it is there, that of the result shown before stays. */
function useEvidence({ id, checkId }: NewestProps["result"]) {
  return useQuery({ ...resultQuery(checkId, id), placeholderData: (before) => before });
}

/** Names a result: how it went, where and when. */
function Head({ result, nameOf }: NewestProps) {
  return (
    <p className="facts">
      <State state={resultStates[result.status]} />
      <Text>{nameOf(result.locationId)}</Text>
      <Ago at={result.startedAt} />
      <PageLink page="result" parameters={{ id: result.checkId, resultId: result.id }}>
        Show the result
      </PageLink>
    </p>
  );
}

/** Shows the web vitals and the pictures of the newest run of a browser check. */
export function NewestPage({ result, nameOf }: NewestProps) {
  const query = useEvidence(result);
  return (
    <>
      <Panel title="Web vitals">
        <Loaded query={query}>
          {({ result: shown }) => (
            <>
              <Head result={shown} nameOf={nameOf} />
              {shown.webVitals ? (
                <VitalFigures vitals={shown.webVitals} />
              ) : (
                <Empty>This run measured no web vitals: its page did not load to the end.</Empty>
              )}
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="Pictures of the newest run">
        <Loaded query={query}>
          {({ result: shown }) => {
            const pictures = shown.screenshotsJson ?? [];
            if (pictures.length === 0) return <Empty>This run left no picture.</Empty>;
            return (
              <ul aria-label="Filmstrip" className="filmstrip">
                {pictures.map(({ sha256, takenAt, step, url }) => (
                  <li key={`${sha256} ${takenAt}`}>
                    {url === undefined ? (
                      <p className="quiet">The picture is not stored.</p>
                    ) : (
                      <img
                        src={ownPath(url)}
                        alt={`Page at the end of ${step ?? "the run"}`}
                        width={240}
                        height={150}
                        loading="lazy"
                        decoding="async"
                      />
                    )}
                    <Text>{step ?? "End of the run"}</Text>
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}

/** Shows what an MCP server reported of itself last, and its newest change. */
export function NewestMcpReport({ result, nameOf }: NewestProps) {
  const query = useEvidence(result);
  const drift = useQuery(lastDriftQuery(result.checkId));
  return (
    <>
      <Panel title="MCP server">
        <Loaded query={query}>
          {({ result: shown }) => (
            <>
              <Head result={shown} nameOf={nameOf} />
              {shown.mcpJson ? (
                <McpServerReport report={shown.mcpJson} />
              ) : (
                <Empty>This run has no report: the conversation did not begin.</Empty>
              )}
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="Last change of the server">
        <Loaded query={drift}>
          {(changed) =>
            changed?.mcpSchemaDrift ? (
              <>
                <Head result={changed} nameOf={nameOf} />
                <McpDrift drift={changed.mcpSchemaDrift} />
              </>
            ) : (
              <Empty>The server's identity and tools have not changed in the last 30 days.</Empty>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}
