import type { ClusterInfo } from '@/lib/api/cluster';

/** Whether rollouts are being recorded, since when, and why not. */
export interface RecorderState {
  /** While it is `interrupted`, the recorder holds its observations until the archive can be written. */
  state: NonNullable<ClusterInfo['recorder']>['state'];
  /** Milliseconds since the epoch. */
  since: number;
  reason: string | null;
}
