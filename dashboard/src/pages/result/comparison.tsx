/** A result beside the last success before it at its location. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { resultQuery } from "../../api/queries/checks.ts";
import { lastSuccessQuery, runQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { PHASES, phaseText } from "../../evidence/phases.ts";
import { instantText } from "../../time/format.ts";
import { Choice } from "../../ui/choice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { bodyDifferences, headerDifferences } from "./differences.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** What a result can be compared with. */
const CHOICES = [
  ["success", "Last success here"],
  ["previous", "Previous result here"],
  ["elsewhere", "This run elsewhere"],
] as const;
type Against = (typeof CHOICES)[number][0];

/** Why there is nothing to compare with. */
const NOTHING: Readonly<Record<Against, string>> = {
  success: "There is no earlier success from",
  previous: "There is no earlier result from",
  elsewhere: "In this run there is no result but that from",
};

/**
 * Shows the comparison, unless the reader chooses otherwise with the last success of the result's own location: another location's
 * would mislead.
 */
export function Comparison({
  result,
  previousId,
  nameOf,
}: {
  result: Shown;
  previousId: string | null;
  nameOf(locationId: string): string;
}) {
  const [against, setAgainst] = useState<Against>("success");
  const query = useOther(result, { against, previousId });
  return (
    <Panel title="Compared with the last success">
      <p>
        <Choice
          label="Compare with"
          value={against}
          options={CHOICES}
          onChoose={(value) => setAgainst(value as Against)}
        />
      </p>
      <Loaded query={query}>
        {(other) =>
          other === null ? (
            <p>
              {NOTHING[against]} <Text>{nameOf(result.locationId)}</Text>.
            </p>
          ) : (
            <>
              <p>
                <PageLink page="result" parameters={{ id: result.checkId, resultId: other.id }}>
                  {instantText(other.slotAt)}
                </PageLink>{" "}
                from <Text>{nameOf(other.locationId)}</Text>
              </p>
              <Times
                result={result}
                other={other}
                title={CHOICES.find(([key]) => key === against)?.[1] ?? ""}
              />
              <Evidence result={result} other={other} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Reads the result to compare with; null: there is none. */
function useOther(
  { id, checkId, locationId, runId }: Shown,
  { against, previousId }: { against: Against; previousId: string | null },
) {
  const run = useQuery({ ...runQuery(checkId, runId), enabled: against === "elsewhere" }).data?.run;
  const elsewhereId = run?.results.find((one) => one.locationId !== locationId)?.id ?? null;
  const success = useQuery({
    ...lastSuccessQuery(checkId, { resultId: id, locationId }),
    enabled: against === "success",
  });
  const otherId = against === "previous" ? previousId : elsewhereId;
  const other = useQuery({
    queryKey: ["compared result", otherId],
    queryFn: async ({ client }) =>
      otherId === null ? null : (await client.fetchQuery(resultQuery(checkId, otherId))).result,
    enabled: against === "previous" || run !== undefined,
  });
  return against === "success" ? success : other;
}

type Pair = { result: Shown; other: Shown };

function Times({ result, other, title }: Pair & { title: string }) {
  const rows = [...PHASES.map(([name, field]) => [name, field] as const), ["Total", "totalMs"] as const];
  const text = (ms: number | undefined) => (ms === undefined ? "none" : phaseText(ms));
  return (
    <Table
      name="Times compared"
      rows={rows}
      keyOf={([name]) => name}
      columns={[
        { title: "Phase", cell: ([name]) => name },
        { title, cell: ([, field]) => text(other.timing[field]) },
        { title: "This result", cell: ([, field]) => text(result.timing[field]) },
      ]}
    />
  );
}

function Evidence({ result, other }: Pair) {
  const status =
    result.httpStatusCode !== other.httpStatusCode &&
    `HTTP status ${other.httpStatusCode ?? "none"} before, ${result.httpStatusCode ?? "none"} now.`;
  if (!result.response || !other.response)
    return (
      <p>
        {status}{" "}
        {result.response
          ? "The other result keeps no headers and no body to compare."
          : "This result has no response to compare."}
      </p>
    );
  const headers = headerDifferences(other.response.headers, result.response.headers);
  const pieces = bodyDifferences(other.response.body, result.response.body);
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
            { title: "Other result", cell: ({ before }) => <Text>{before ?? "none"}</Text> },
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
