/** Watches how far the SDK has read a stream. The SDK itself does not say. */

/**
 * Calls back once the last item of a stream was handled, or the stream failed. The SDK builds a pipeline on the stream, so the
 * end of that pipeline is watched.
 */
export function whenRead<T>(stream: ReadableStream<T>, onRead: () => void): void {
  const { pipeThrough, getReader } = stream;
  stream.pipeThrough = ((...parameters: Parameters<typeof pipeThrough>) => {
    const next = pipeThrough.apply(stream, parameters);
    whenRead(next, onRead);
    return next;
  }) as typeof pipeThrough;
  stream.getReader = (() => {
    const reader = (getReader as () => ReadableStreamDefaultReader<T>).call(stream);
    const read = reader.read.bind(reader);
    reader.read = async () => {
      const item = await read().catch((error: unknown) => {
        onRead();
        throw error;
      });
      if (item.done) onRead();
      return item;
    };
    return reader;
  }) as typeof getReader;
}
