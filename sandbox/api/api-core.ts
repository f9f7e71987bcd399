import { type FieldSet } from '@/sandbox/api/field-set';
import { type IdSource } from '@/sandbox/api/ids';
import { type KindTable } from '@/sandbox/api/kind-table';
import { type ObjectStore } from '@/sandbox/api/object-store';

/** What every operation works on. */
export interface ApiCore {
  readonly store: ObjectStore;
  readonly kinds: KindTable;
  readonly ids: IdSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Removes what the last write left without an owner; called after every write. */
  collectGarbage(): void;
}

/** The user who writes, and how. */
export interface WriteOptions {
  /** Field manager, as in `metadata.managedFields`. */
  readonly manager: string;
  /** Validated in full and answered, but not stored. */
  readonly dryRun: boolean;
  /** Version of the group that the client uses. */
  readonly version: string;
  /** What to do about fields that the kind does not have. */
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** The patch, if it is one. */
  readonly patch?: PatchOrigin;
  /** The fields of the configuration, if it applies one. */
  readonly applied?: FieldSet;
  /** Receives warnings: what the writer should know although it is no error. */
  readonly warn?: (text: string) => void;
}

/** What error messages quote of an invalid patch. */
export interface PatchOrigin {
  /**
   * For a strategic merge the messages quote the patch, in other words; for other patches they quote the
   * result.
   */
  readonly strategic: string | undefined;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
