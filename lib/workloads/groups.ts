import { type Revision } from '@/lib/history/revision';
import { type PodSummary } from '@/lib/workloads/pod';
import { type Workload } from '@/lib/workloads/workload';

export const groupStates = ['ready', 'starting', 'rebuilding', 'disagrees'] as const;

/**
 * `rebuilding`: its leader, or what makes its workers, is not there; `disagrees`: its pods run different revisions and
 * nothing is about to change that.
 */
export type GroupState = (typeof groupStates)[number];

/** Pods that are made, replaced and counted together. */
export interface Group {
  index: number;
  state: GroupState;
  /** By its leader; null where the leader is not there, or runs a revision that nothing records any more. */
  revision: Revision | null;
  /** It was made by a revision of which there is no object any more. */
  unknownRevision: boolean;
  /** What its leader says that it was made by, whether or not there is an object of it; null while it is not there. */
  key: string | null;
  /** What the others of a group that disagrees were made by. */
  otherKeys: readonly { key: string; revision: Revision | null }[];
  /** Pods that it is to have, its leader among them. */
  size: number;
  leader: PodSummary | null;
  workers: readonly PodSummary[];
  /** All of it runs the target. */
  updated: boolean;
  ready: boolean;
  /** The partition keeps it from the target. */
  held: boolean;
  /** Beyond the wanted number, for as long as a rollout lasts. */
  surge: boolean;
}

/** The groups of a workload in the order of their index, and how far its rollout is, counted in them. */
export interface Groups {
  items: readonly Group[];
  /** Wanted by the spec. */
  desired: number;
  /** Of the groups that are to be updated: neither surge nor held. */
  wanted: number;
  updated: number;
  ready: number;
  /** Pods that all the groups together are to have. */
  pods: number;
  partition: number;
  /** In which order and how many at a time: one sentence. */
  order: string;
  /** What becomes of the revisions when a rollout is through: one sentence. */
  afterwards: string;
  /** Objects that make the pods and belong to the workload; nobody else may write them. */
  parts: readonly { kind: string; name: string; group: number | null; workload: Workload }[];
  /** Why they cannot be acted on. */
  partsNote: string;
}
