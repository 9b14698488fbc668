/** Reads the size of a picture from the header of its file, without decoding it. Pure. */

/** Width and height, px. */
export interface PictureSize {
  width: number;
  height: number;
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Markers of JPEG that stand alone, without a length: TEM, RST0 to RST7, SOI. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Markers of JPEG that begin a frame, which says its size: SOF0 to SOF15 but DHT, JPG and DAC. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/**
 * Returns the size that the file says; undefined when it is no PNG, JPEG or WebP, or its header is not within the bytes.
 * @param bytes the begin of the file
 */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (PNG.every((byte, at) => bytes[at] === byte))
      return { width: view.getUint32(16), height: view.getUint32(20) };
    if (view.getUint16(0) === 0xffd8) return jpegSize(view);
    if (textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WEBP") return webpSize(bytes, view);
    return undefined;
  } catch (error) {
    // The header goes on behind the bytes.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isAlone(marker)) at += 2;
    else if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  const kind = textAt(bytes, 12);
  const from24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
  if (kind === "VP8X") return { width: from24(24), height: from24(27) };
  if (kind === "VP8 ")
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
