/**
 * True when a text has the form of a location id, so that no other text reaches a query: private locations have TypeIDs,
 * hosted ones readable ids (`loc_us_east`).
 */
export function looksLikeLocationId(text: string): boolean {
  return /^loc_[a-z0-9_]{1,64}$/.test(text);
}
