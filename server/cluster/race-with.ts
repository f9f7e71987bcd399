/** The result of the work, unless the signal is aborted before: then its reason is thrown, and the work goes on unheeded. */
export async function raceWith<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    // Both have a handler, so that the one that is late is not reported as unhandled.
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
