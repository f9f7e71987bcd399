export const ADVANCED_CONTROL = 'rollouts.kruise.io/daemonset-advanced-control';
export const DAEMON_SET_REVISIONS = 'rollouts.kruise.io/daemonset-revision';
export const ORIGINAL_UPDATE_TYPE = 'rollouts.kruise.io/daemonset-original-update-strategy';

/** The target of a native DaemonSet's update: so many pods stay old. */
interface AdvancedControl {
  readonly kept: number;
  /** The `controller-revision-hash` of the target revision. */
  readonly revision: string;
}

export function advancedControl({ kept, revision }: AdvancedControl): string {
  return `partition=${kept},batch-revision=${revision}`;
}

/** Undefined where the annotation is missing or invalid. */
export function parseAdvancedControl(text: string | undefined): AdvancedControl | undefined {
  const members = new Map((text ?? '').split(',').map((pair) => pair.split('=') as [string, string]));
  const kept = Number(members.get('partition') ?? NaN);
  const revision = members.get('batch-revision') ?? '';
  return Number.isInteger(kept) && revision !== '' ? { kept, revision } : undefined;
}
