import type { Placeholder } from '@/lib/history/workload';
import type { RevisionGroup } from '@/lib/producers/revision-group';

/** Revisions that form one history. */
export interface SourceGroup {
  /** The uid of their controller where that has a single history; never that of another object. */
  key: string;
  group: RevisionGroup;
  owner: Placeholder['owner'];
  component: string | null;
}
