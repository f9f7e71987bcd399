import { type GroupState } from '@/lib/api/workload-values';
import { type Revision } from '@/lib/history/revision';
import { type PodSummary } from '@/lib/history/pod';
import { type Workload } from '@/lib/history/workload';

/** Pods that are created, replaced and counted together. */
export interface Group {
  index: number;
  state: GroupState;
  /** By its leader; null where the leader is missing, or runs a revision that is no longer recorded. */
  revision: Revision | null;
  /** Created by a revision whose object no longer exists. */
  unknownRevision: boolean;
  /** The revision that its leader names, whether or not its object exists; null while the leader is missing. */
  key: string | null;
  /** The revision of the other pods in a group that disagrees. */
  otherKeys: readonly { key: string; revision: Revision | null }[];
  /** Desired pods, including its leader. */
  size: number;
  leader: PodSummary | null;
  workers: readonly PodSummary[];
  /** All of its pods run the target. */
  updated: boolean;
  ready: boolean;
  /** The partition holds it on an older revision. */
  held: boolean;
  /** Above the desired number, during a rollout. */
  surge: boolean;
}

/** The groups of a workload in the order of their index, and the progress of its rollout in groups. */
export interface Groups {
  items: readonly Group[];
  /** Desired by the spec. */
  desired: number;
  /** Of the groups to be updated: neither surge nor held. */
  wanted: number;
  updated: number;
  ready: number;
  /** Desired pods of all the groups together. */
  pods: number;
  partition: number;
  /** In which order and how many at a time: one sentence. */
  order: string;
  /** What happens to the revisions when a rollout completes: one sentence. */
  afterwards: string;
  /** Objects that create the pods and belong to the workload; only its controller may write them. */
  parts: readonly { kind: string; name: string; group: number | null; workload: Workload }[];
  /** Why they cannot be acted on. */
  partsNote: string;
}
