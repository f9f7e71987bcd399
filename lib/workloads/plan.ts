import { type Json, type JsonObject } from '@/lib/kube/json';
import { rolloutActionNames } from '@/lib/rollout/rollout';

export type JsonPatchOperation =
  | { op: 'test'; path: string; value: Json }
  | { op: 'add'; path: string; value: Json }
  | { op: 'replace'; path: string; value: Json }
  | { op: 'remove'; path: string };

export const actionKinds = ['rollback', 'pause', 'resume', 'restart', 'partition', 'deletePod'] as const;
export type ActionKind = (typeof actionKinds)[number];

/** Of workloads and of rollouts; some have a name in common. */
export const actionNames = [
  ...actionKinds,
  ...rolloutActionNames.filter(
    (name) => name !== 'rollback' && name !== 'pause' && name !== 'resume' && name !== 'restart',
  ),
] as const;
export type ActionName = (typeof actionNames)[number];

/**
 * Where the template of a rollback comes from. `archive`: a revision of this life that the cluster no longer has;
 * `earlierLife`: one of another object that had the same name.
 */
export const targetOrigins = ['cluster', 'archive', 'earlierLife'] as const;

/** The write, as data: it can be shown, tested against kubectl, dry-run and audited without being run. */
export type PlannedWrite =
  | { kind: 'patch'; path: string; patch: readonly JsonPatchOperation[] }
  /** Members that are to be set; `metadata.resourceVersion` among them says of what the writer knows. */
  | {
      kind: 'merge';
      path: string;
      /** Where the API server does not know the path: a subresource that older definitions lack. */
      elsePath?: string;
      body: JsonObject;
    }
  | {
      kind: 'delete';
      path: string;
      preconditions: { uid: string; resourceVersion?: string };
    };

/** The right that the write needs: the verb and resource that will really be used. */
export interface NeededRight {
  verb: 'patch' | 'delete';
  group: string;
  resource: string;
  subresource?: 'status';
  namespace: string;
  name: string;
}

/** `rollouts/status`: as the right is called in a role. */
export function resourceOfRight({ resource, subresource }: NeededRight): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

export interface Plan {
  action: ActionName;
  /** What the button does, to what: "Roll back to 42 · 2.18.3". */
  title: string;
  write: PlannedWrite;
  needs: NeededRight;
  /** What is written after that, by an action that takes two writes; it holds without the first as well. */
  then?: { write: PlannedWrite; needs: NeededRight };
  /** What will happen, in order, one sentence each. */
  steps: readonly string[];
  /** What stays as it is, one sentence each. */
  stays: readonly string[];
  /** The kubectl command line that does the same. */
  kubectl: string;
}

export const severities = ['refusal', 'warning', 'info', 'passed'] as const;

/** One result of the checks. Only a refusal blocks. */
export interface Finding {
  severity: (typeof severities)[number];
  /** Stable, for scripts: `paused`, `equal_target`, `gitops_owner`, … */
  code: string;
  /** What it means. */
  message: string;
  /** What can be done about it; null when nothing need be done. */
  action: string | null;
}
