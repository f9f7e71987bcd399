import type { BenchEnvironment } from '@/bench/support/environment';

/** An input that could freeze the server. */
export interface Hostile {
  /** `10,000 variables in reverse order`. */
  what: string;
  /** Sets up everything that is not measured. `close` is always called at the end. */
  prepare?: (stage: BenchEnvironment) => Promise<void>;
  /** The server's work on it, in this thread. */
  run: (stage: BenchEnvironment) => unknown;
  close?: () => Promise<void>;
}
