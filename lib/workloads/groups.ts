import type { z } from 'zod';
import type { groupPartSchema, groupProgressSchema, groupSchema } from '@/lib/api/groups';
import type { PodSummary } from '@/lib/history/pod';
import type { Revision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import type { Immutable } from '@/lib/immutable';

export interface Group extends Immutable<z.infer<typeof groupSchema>> {
  /** By its leader; null where the leader is missing, or runs a revision that is no longer recorded. */
  revision: Revision | null;
  /** The revision of the other pods in a group that disagrees. */
  otherKeys: readonly { key: string; revision: Revision | null }[];
  leader: PodSummary | null;
  workers: readonly PodSummary[];
}

interface GroupPart extends Immutable<z.infer<typeof groupPartSchema>> {
  workload: Workload;
}

/** The groups of a workload in the order of their index, and the progress of its rollout in groups. */
export interface Groups extends Immutable<z.infer<typeof groupProgressSchema>> {
  items: readonly Group[];
  /** Objects that create the pods and belong to the workload. */
  parts: readonly GroupPart[];
}
