import { type Logger } from '@/server/shared/log';

/** Work that goes on until it is stopped. */
export interface BackgroundTask {
  /** Resolves when no writes are pending. */
  stop(): Promise<void>;
}

/** Runs it until the signal that it gets; whatever else ends it is logged. */
export function startBackgroundTask(
  run: (signal: AbortSignal) => Promise<void>,
  log: Logger,
): BackgroundTask {
  const end = new AbortController();
  const running = run(end.signal).catch((error: unknown) => {
    if (!end.signal.aborted) log.warn('The sandbox has stopped making progress.', { error });
  });
  return {
    stop: async () => {
      end.abort(new Error('The sandbox stops.'));
      await running;
    },
  };
}
