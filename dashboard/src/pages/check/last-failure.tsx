/** The newest failing result of a check, with what it says of the cause. */
import { useQuery } from "@tanstack/react-query";
import { resultQuery } from "../../api/queries/checks.ts";
import { resultStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText } from "../../time/format.ts";
import { FailedAssertions } from "../../ui/failed-assertions.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";

/** Characters of the body that are shown. */
const BODY_MAX = 400;

/** Shows the result. */
export function LastFailure({
  checkId,
  resultId,
  nameOf,
}: {
  checkId: string;
  resultId: string;
  nameOf(locationId: string): string;
}) {
  // Until a newer failure is read, the one before stays.
  const query = useQuery({ ...resultQuery(checkId, resultId), placeholderData: (before) => before });
  return (
    <Panel title="Last failure">
      <Loaded query={query}>
        {({ result }) => (
          <>
            <p className="facts">
              <State state={resultStates[result.status]} />
              <Text>{nameOf(result.locationId)}</Text>
              <Ago at={result.startedAt} />
              <span>{durationText(result.responseTimeMs)}</span>
              <PageLink page="result" parameters={{ id: checkId, resultId }}>
                See why
              </PageLink>
            </p>
            <p>
              <Text>{result.errorMessage ?? "The run gives no reason."}</Text>
            </p>
            <FailedAssertions result={result} />
            {result.response && result.response.body !== "" && (
              <Verbatim label="Begin of the body">{result.response.body.slice(0, BODY_MAX)}</Verbatim>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
