/** What a gRPC server said of its health. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function GrpcParts({ result: { grpcJson } }: { result: Pick<Shown, "grpcJson"> }) {
  if (!grpcJson) return null;
  const { servingStatus, grpcStatus, grpcMessage, httpStatusCode } = grpcJson;
  return (
    <Panel title="gRPC health">
      <Figures>
        <FigureValue title="Serving status">{servingStatus ?? "Not said"}</FigureValue>
        <FigureValue title="Status of the call">{grpcStatus ?? "None"}</FigureValue>
        {httpStatusCode !== undefined && <FigureValue title="HTTP status">{httpStatusCode}</FigureValue>}
      </Figures>
      {grpcMessage !== undefined && (
        <p>
          <Text>{grpcMessage}</Text>
        </p>
      )}
    </Panel>
  );
}
