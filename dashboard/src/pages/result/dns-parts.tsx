/** The answers that a run of a DNS check got. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { countText, numberText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function DnsParts({ result: { dnsJson } }: { result: Pick<Shown, "dnsJson"> }) {
  if (!dnsJson) return null;
  const { server, rcode, isAuthoritative, answers, answerCount } = dnsJson;
  return (
    <Panel title="Answers">
      <p>
        <Text>{server}</Text> answered <Text>{rcode}</Text> with {countText(answerCount, "record")}
        {isAuthoritative ? ", as the authority" : ""}.
      </p>
      {answers.length > 0 && (
        <Table
          name="Answers"
          rows={answers.map((answer, at) => ({ ...answer, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: "Type", cell: ({ type }) => <Text>{type}</Text> },
            { title: "Answer", cell: ({ text }) => <Text>{text}</Text> },
            { title: "Lifetime", cell: ({ ttlSeconds }) => `${numberText(ttlSeconds)} s` },
          ]}
        />
      )}
    </Panel>
  );
}
