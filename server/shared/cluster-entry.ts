import { type ClusterSource, type LinkTemplate } from '@/server/shared/config';

/** A cluster that Shiplog reads, as configured. */
export interface ClusterEntry {
  /** In URLs, filters, and metrics. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** Such as `production`; null where none is given. */
  readonly stage: string | null;
  /** Links with these names still work. */
  readonly formerNames: readonly string[];
  readonly source: ClusterSource;
  /** The id in the archive, instead of the one that is found; null: found. */
  readonly id: string | null;
  /** The only ones that Shiplog reads; empty: all. */
  readonly namespaces: readonly string[];
  readonly readOnly: boolean;
  readonly links: readonly LinkTemplate[];
}
