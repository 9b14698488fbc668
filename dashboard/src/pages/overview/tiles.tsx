/** Tiles: one figure each of what else makes up the picture, with the words that explain it. */
import { pagePath } from "@svc/contract";
import { Link } from "wouter";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { Text } from "../../ui/text.tsx";
import { tilesOf } from "./tile-texts.ts";

/** Shows the tiles; each leads to the page that says more. */
export function Tiles({ overview }: { overview: OverviewAnswer }) {
  return (
    <ul className="tiles">
      {tilesOf(overview, Date.parse(overview.asOf)).map(({ name, figure, words, isLoud, page }) => (
        <li key={name}>
          <Link href={pagePath(page, {})} className={isLoud ? "tile loud" : "tile"}>
            <span className="tile-name">{name}</span>
            <span className="tile-figure">{figure}</span>
            <span className="tile-words">
              <Text>{words}</Text>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
