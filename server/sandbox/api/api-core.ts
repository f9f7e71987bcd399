import { type IdSource } from '@/server/sandbox/api/ids';
import { type KindTable } from '@/server/sandbox/api/kind-table';
import { type ObjectStore } from '@/server/sandbox/api/object-store';

/** What every operation works on. */
export interface ApiCore {
  readonly store: ObjectStore;
  readonly kinds: KindTable;
  readonly ids: IdSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Removes what the last write has left without an owner; called after every write. */
  collectGarbage(): void;
}

/** Who writes, and how. */
export interface WriteOptions {
  /** Field manager: whose name stands in `metadata.managedFields`. */
  readonly manager: string;
  /** Checked in full and answered, but not stored. */
  readonly dryRun: boolean;
  /** Version of the group in which the client speaks. */
  readonly version: string;
  /** What to do about fields that the kind does not have. */
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** The patch, if it is one. */
  readonly patch?: PatchOrigin;
  /** Told of what the writer should know although it is no error. */
  readonly warn?: (text: string) => void;
}

/** What messages say of a patch that makes no sense. */
export interface PatchOrigin {
  /** A strategic merge is quoted, and its mistakes are told in other words; of other patches the result is quoted. */
  readonly strategic: string | undefined;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
