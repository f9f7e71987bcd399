import { type Correction } from '@/test/replay/judge';

/** What the golden files say wrong. They are never written again: README.md. */
export const corrections: readonly Correction[] = [];
