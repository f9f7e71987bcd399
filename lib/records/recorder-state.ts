/** Whether rollouts are being recorded, since when, and why not. */
export interface RecorderState {
  /**
   * `starting`: the cluster has yet to be read. `standby`: another instance of Shiplog records.
   * `interrupted`: the archive can't be written; the recorder holds its observations until it can.
   */
  state: 'starting' | 'recording' | 'standby' | 'interrupted';
  /** Milliseconds since the epoch. */
  since: number;
  reason: string | null;
}
