/** Cuts a long text into pieces that a page can lay out one by one. Pure. */

/** Length from which on a piece ends with its line, characters. */
const PIECE_CHARACTERS = 8_192;
/** Most pieces of a text. The last one holds the rest. */
const PIECES_MAX = 4_000;

/** A piece: whole lines without the last one's line break, and where it begins. */
interface Piece {
  at: number;
  text: string;
}

/** Returns the pieces of a text in its order. Joined by line breaks they are the text. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at <= text.length) {
    const breakAt = pieces.length === PIECES_MAX - 1 ? -1 : text.indexOf("\n", at + PIECE_CHARACTERS);
    const end = breakAt === -1 ? text.length : breakAt;
    pieces.push({ at, text: text.slice(at, end) });
    at = end + 1;
  }
  return pieces;
}
