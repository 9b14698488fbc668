/** The pictures that a browser run left, beside those of the last success at its location. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { lastSuccessQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { ownPath } from "../../evidence/own-path.ts";
import { percentText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { comparePictures } from "./compare-pictures.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];
type Picture = NonNullable<Shown["screenshotsJson"]>[number];

/** Shows the pictures; nothing for a run without any. */
export function Screenshots({ result }: { result: Shown }) {
  const pictures = result.screenshotsJson ?? [];
  const isFailed = result.status !== "success";
  const success = useQuery({
    ...lastSuccessQuery(result.checkId, { resultId: result.id, locationId: result.locationId }),
    enabled: pictures.length > 0 && isFailed,
  }).data;
  if (pictures.length === 0) return null;
  return (
    <Panel title="Screenshots">
      <ul aria-label="Screenshots" className="screenshots">
        {pictures.map((picture) => {
          const before = success?.screenshotsJson?.find(({ step }) => step === picture.step);
          return (
            <li key={`${picture.sha256} ${picture.takenAt}`}>
              <p>
                <Text>{picture.step ?? "End of the run"}</Text>
              </p>
              {picture.url === undefined ? (
                <p className="quiet">The picture is not stored.</p>
              ) : before?.url === undefined ? (
                <img src={ownPath(picture.url)} alt={altOf(picture)} />
              ) : (
                <BeforeAndAfter before={before} now={picture} />
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

const altOf = ({ step }: Picture) => `Page at the end of ${step ?? "the run"}`;

function BeforeAndAfter({ before, now }: { before: Picture; now: Picture }) {
  const [share, setShare] = useState(50);
  const [difference, setDifference] = useState<string>("Comparing …");
  const [from, to] = [ownPath(before.url ?? ""), ownPath(now.url ?? "")];
  useEffect(() => {
    const controller = new AbortController();
    comparePictures(from, to, controller.signal)
      .then((share) => setDifference(`${percentText(share)} of pixels differ from the last success.`))
      .catch((error: Error) => {
        if (!controller.signal.aborted) setDifference(`Not compared: ${error.message}`);
      });
    return () => controller.abort();
  }, [from, to]);
  return (
    <>
      <div className="swipe">
        <img src={from} alt="Last success" />
        <img src={to} alt={altOf(now)} style={{ clipPath: `inset(0 0 0 ${share}%)` }} />
      </div>
      <label className="quiet">
        Last success{" "}
        <input
          type="range"
          aria-label="Before and after"
          min={0}
          max={100}
          value={share}
          aria-valuetext={`${share} % last success, ${100 - share} % this result`}
          onChange={({ target }) => setShare(Number(target.value))}
        />{" "}
        this result
      </label>
      <p role="status">{difference}</p>
    </>
  );
}
