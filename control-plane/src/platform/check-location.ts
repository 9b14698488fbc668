/** A pair of a check and one of its locations, named by their numeric keys. */
export interface CheckLocation {
  checkKey: number;
  locationKey: number;
}

/** Returns the check location as a key of maps. Equal pairs give equal texts. */
export function checkLocationId({ checkKey, locationKey }: CheckLocation): string {
  return `${checkKey}:${locationKey}`;
}

/** One slot of a check location. */
export interface CheckLocationSlot extends CheckLocation {
  /** Unix ms. */
  slotMs: number;
}

/** Returns the slot of a check location as a key of maps. */
export function checkLocationSlotId(slot: CheckLocationSlot): string {
  return `${checkLocationId(slot)}:${slot.slotMs}`;
}
