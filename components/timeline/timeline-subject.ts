import { type WorkloadState } from '@/lib/workloads/status';

/** Whose history is drawn. */
export interface TimelineSubject {
  name: string;
  createdAt: string;
  /** Undefined for a workload that is there no longer. */
  state: WorkloadState | undefined;
  /** Pods that it wants. */
  desired: number;
  /** What the end of the axis is. */
  end: 'now' | 'deleted';
}
