/** Why an alert fired: each condition with its threshold, the observed value, and the results that show it. */
import type { alertInstanceRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import { fieldsOf, textOf } from "./conditions/condition-words.ts";
import { sayCondition } from "./conditions/registry.ts";

type Instance = Answer<typeof alertInstanceRoutes.get>["instance"];

/** Shows the evidence that the alert keeps. It is read as something of any shape: an older version may have written it. */
export function WhyItFired({
  instance: { contextJson, checkId, triggeringResultId },
}: {
  instance: Instance;
}) {
  const { conditions, errorMessage, locations } = contextJson;
  const rows = listOf(conditions).map(fieldsOf);
  const locationNames = listOf(locations).flatMap((name) => textOf(name) ?? []);
  return (
    <Panel title="Why it fired">
      {rows.map((condition) => {
        const said = sayCondition(condition.type, {
          threshold: condition.threshold,
          observed: condition.observed,
        });
        return (
          said && (
            <p key={JSON.stringify(condition)} className="lead">
              <Text>{said.sentence}</Text>
            </p>
          )
        );
      })}
      {textOf(errorMessage) !== undefined && (
        <p>
          <Text>{`The newest result said: ${textOf(errorMessage)}`}</Text>
        </p>
      )}
      {locationNames.length > 0 && (
        <p>
          <Text>{`Seen from ${locationNames.join(", ")}.`}</Text>
        </p>
      )}
      {rows.length > 0 && (
        <Table
          name="Conditions"
          rows={rows}
          keyOf={(condition) => JSON.stringify(condition)}
          columns={[
            {
              title: "Condition",
              cell: ({ type }) => <Text>{(textOf(type) ?? "unknown").replaceAll("_", " ")}</Text>,
            },
            {
              title: "Threshold",
              cell: (condition) => (
                <Text>{partsOf(condition)?.threshold ?? jsonOf(condition.threshold)}</Text>
              ),
            },
            {
              title: "Observed",
              cell: (condition) => <Text>{partsOf(condition)?.observed ?? jsonOf(condition.observed)}</Text>,
            },
            {
              title: "Results that show it",
              cell: ({ resultIds }) => <Results checkId={checkId} ids={listOf(resultIds)} />,
            },
          ]}
        />
      )}
      {rows.length === 0 && checkId !== null && triggeringResultId !== null && (
        <p>
          <PageLink page="result" parameters={{ id: checkId, resultId: triggeringResultId }}>
            The result that made it fire
          </PageLink>
        </p>
      )}
      <details>
        <summary>All that was recorded</summary>
        <Verbatim label="Evidence">{JSON.stringify(contextJson, undefined, 2)}</Verbatim>
      </details>
    </Panel>
  );
}

function Results({ checkId, ids }: { checkId: string | null; ids: readonly unknown[] }) {
  const results = ids.flatMap((id) => textOf(id) ?? []);
  if (checkId === null || results.length === 0) return <>none</>;
  return (
    <ol className="plain row-of-links">
      {results.map((resultId, index) => (
        <li key={resultId}>
          <PageLink page="result" parameters={{ id: checkId, resultId }}>
            {index === 0 ? "newest result" : `result ${index + 1}`}
          </PageLink>
        </li>
      ))}
    </ol>
  );
}

function partsOf({ type, threshold, observed }: Readonly<Record<string, unknown>>) {
  return sayCondition(type, { threshold, observed });
}

function jsonOf(value: unknown): string {
  return textOf(value) ?? (value === undefined || value === null ? "none" : JSON.stringify(value));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
