/**
 * What `.revision` means for a producer. `counted`: one more than the highest; `renumbered`: the same, but an
 * object whose template is requested again gets the new number in place; `constant`: always the same;
 * `generation`: that of the owner.
 */
type Numbering = 'counted' | 'renumbered' | 'constant' | 'generation';

/** A controller that keeps apps/v1 ControllerRevisions, as far as its source code shows. */
export interface Producer {
  /** The common name: "Kruise UnitedDeployment". */
  name: string;
  /** API group of the owners, and their kinds; none named: every kind of the group. */
  group: string;
  kinds?: readonly string[];
  numbering: Numbering;
  /** Notes on the numbers and the revisions, and on false conclusions: one sentence each. */
  notes?: readonly string[];
  /** It keeps its objects for other purposes: they are no rollout history. */
  storesOnly?: true;
  /** Members under `status` that name the target, where they have no common name. */
  targetAt?: readonly (readonly string[])[];
  /** It records a copy of the entire spec; absent: the members that a revision has. */
  recordsSpec?: true;
  /** The path under `spec` of the state that its revisions contain directly. */
  bareStateAt?: readonly string[];
  /** List under `spec` whose entries, identified by name, keep their current replicas; their number if absent. */
  keepsReplicasOf?: { list: string; otherwise: number };
  /** Why its revisions are not rolled back to, though their form would allow it. */
  noRollback?: string;
}
