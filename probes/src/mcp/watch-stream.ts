/** Watches how far the SDK has read a stream. The SDK itself does not say. */

/** Callbacks for a stream that the SDK reads. */
export interface StreamWatch {
  /** Called with each item of the last stage of the pipeline. The error that it throws breaks the stream. */
  judge(item: unknown): void;
  onRead(): void;
}

/**
 * Calls back once the last item of a stream was handled, or the stream failed. The SDK builds a pipeline on the stream,
 * so the end of that pipeline is watched.
 */
export function watchStream<T>(stream: ReadableStream<T>, watch: StreamWatch): void {
  const { pipeThrough, getReader } = stream;
  stream.pipeThrough = ((...parameters: Parameters<typeof pipeThrough>) => {
    const next = pipeThrough.apply(stream, parameters);
    watchStream(next, watch);
    return next;
  }) as typeof pipeThrough;
  stream.getReader = (() => {
    const reader = (getReader as () => ReadableStreamDefaultReader<T>).call(stream);
    const read = reader.read.bind(reader);
    reader.read = async () => {
      const item = await read().catch((error: unknown) => {
        watch.onRead();
        throw error;
      });
      if (item.done) watch.onRead();
      else watch.judge(item.value);
      return item;
    };
    return reader;
  }) as typeof getReader;
}
