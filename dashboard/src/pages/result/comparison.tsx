/** A result beside the last success before it at its location. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { lastSuccessQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { bodyDifferences, headerDifferences } from "./differences.ts";
import { PHASES, phaseText } from "./phases.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the comparison. Another location's success is never taken: it would mislead. */
export function Comparison({ result, location }: { result: Shown; location: string }) {
  const query = useQuery(
    lastSuccessQuery(result.checkId, { resultId: result.id, locationId: result.locationId }),
  );
  return (
    <Panel title="Compared with the last success">
      <Loaded query={query}>
        {(success) =>
          success === null ? (
            <p>
              There is no earlier success from <Text>{location}</Text>.
            </p>
          ) : (
            <>
              <p>
                <PageLink page="result" parameters={{ id: result.checkId, resultId: success.id }}>
                  {instantText(success.slotAt)}
                </PageLink>{" "}
                from <Text>{location}</Text>
              </p>
              <Times result={result} success={success} />
              <Evidence result={result} success={success} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

type Pair = { result: Shown; success: Shown };

function Times({ result, success }: Pair) {
  const rows = [...PHASES.map(([name, field]) => [name, field] as const), ["Total", "totalMs"] as const];
  const text = (ms: number | undefined) => (ms === undefined ? "none" : phaseText(ms));
  return (
    <Table
      name="Times compared"
      rows={rows}
      keyOf={([name]) => name}
      columns={[
        { title: "Phase", cell: ([name]) => name },
        { title: "Last success", cell: ([, field]) => text(success.timing[field]) },
        { title: "This result", cell: ([, field]) => text(result.timing[field]) },
      ]}
    />
  );
}

function Evidence({ result, success }: Pair) {
  const status =
    result.httpStatusCode !== success.httpStatusCode &&
    `HTTP status ${success.httpStatusCode ?? "none"} before, ${result.httpStatusCode ?? "none"} now.`;
  if (!result.response || !success.response)
    return (
      <p>
        {status}{" "}
        {result.response
          ? "A success keeps no headers and no body to compare."
          : "This result has no response to compare."}
      </p>
    );
  const headers = headerDifferences(success.response.headers, result.response.headers);
  const pieces = bodyDifferences(success.response.body, result.response.body);
  return (
    <>
      <p>{status}</p>
      {headers.length > 0 && (
        <Table
          name="Headers that differ"
          rows={headers}
          keyOf={({ name }) => name}
          columns={[
            { title: "Header", cell: ({ name }) => <Text>{name}</Text> },
            { title: "Last success", cell: ({ before }) => <Text>{before ?? "none"}</Text> },
            { title: "This result", cell: ({ now }) => <Text>{now ?? "none"}</Text> },
          ]}
        />
      )}
      {pieces === undefined ? (
        <p>The bodies are too different to be compared line by line.</p>
      ) : (
        <pre>
          {pieces.map(({ at, kind, text }) => {
            const shown = plainText(text);
            if (kind === "added") return <ins key={at}>{shown}</ins>;
            return kind === "removed" ? <del key={at}>{shown}</del> : <span key={at}>{shown}</span>;
          })}
        </pre>
      )}
    </>
  );
}
