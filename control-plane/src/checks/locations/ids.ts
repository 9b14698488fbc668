/** Location ids: TypeIDs of private locations, and the readable ones of the hosted locations (loc_us_east). */

/** False for what can't be a location id, so that no such text reaches a query. */
export function looksLikeLocationId(text: string): boolean {
  return /^loc_[a-z0-9_]{1,64}$/.test(text);
}
