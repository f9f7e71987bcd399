/**
 * What `.revision` means for a producer. `counted`: one more than the highest; `renumbered`: the same, but an object whose
 * template is asked for again gets the new number in place; `constant`: always the same; `generation`: that of the owner.
 */
export type Numbering = 'counted' | 'renumbered' | 'constant' | 'generation';

/** A controller that keeps apps/v1 ControllerRevisions, as far as its own source tells. */
export interface Producer {
  /** As people call it: "Kruise UnitedDeployment". */
  name: string;
  /** API group of the owners, and their kinds; none named: every kind of the group. */
  group: string;
  kinds?: readonly string[];
  numbering: Numbering;
  /** What else the numbers and the revisions mean, and what must not be read into them: one sentence each. */
  notes?: readonly string[];
  /** It keeps its objects for other ends: they are no rollout history. */
  storesOnly?: true;
  /** Members under `status` that name the target, where they have no common name. */
  targetAt?: readonly (readonly string[])[];
  /** It records a copy of the whole spec; absent: the members that a revision has. */
  recordsSpec?: true;
  /** Where under `spec` the state stands that its revisions hold by itself. */
  bareStateAt?: readonly string[];
  /** List under `spec` whose entries, told apart by name, keep the replicas that they have now; their number if absent. */
  keepsReplicasOf?: { list: string; otherwise: number };
  /** Why its revisions are not rolled back to, though their form would allow it. */
  noRollback?: string;
}
