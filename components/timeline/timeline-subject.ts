import type { WorkloadState } from '@/lib/api/workload-values';

/** The workload or incarnation whose history is drawn. */
export interface TimelineSubject {
  name: string;
  createdAt: string;
  /** Undefined for a workload that is deleted. */
  state: WorkloadState | undefined;
  /** Desired pods. */
  desired: number;
  /** The meaning of the end of the axis. */
  end: 'now' | 'deleted';
}
