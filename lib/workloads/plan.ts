import type { z } from 'zod';
import type { findingSchema, planSchema } from '@/lib/api/actions';
import type { Immutable } from '@/lib/immutable';
import type { Json, JsonObject } from '@/lib/kube/json';

export type JsonPatchOperation =
  | { op: 'test'; path: string; value: Json }
  | { op: 'add'; path: string; value: Json }
  | { op: 'replace'; path: string; value: Json }
  | { op: 'remove'; path: string };

/** The write, as data: it can be shown, tested against kubectl, dry-run and audited without being executed. */
export type PlannedWrite =
  | { kind: 'patch'; path: string; patch: readonly JsonPatchOperation[] }
  /** Members to set; `metadata.resourceVersion` among them says which version the writer read. */
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

/** The permission that the write needs: the verb and resource of the actual request. */
export interface NeededRight {
  verb: 'patch' | 'delete';
  group: string;
  resource: string;
  subresource?: 'status';
  namespace: string;
  name: string;
}

/** `rollouts/status`: its name in a role. */
export function resourceOfRight({ resource, subresource }: NeededRight): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

export interface Plan extends Immutable<z.infer<typeof planSchema>> {
  write: PlannedWrite;
  needs: NeededRight;
  /** The second write, for an action that takes two; it is valid without the first as well. */
  then?: { write: PlannedWrite; needs: NeededRight };
}

/** One result of the checks. Only a refusal blocks. */
export type Finding = Immutable<z.infer<typeof findingSchema>>;

/** `action` is the suggested remedy; null when none is needed. */
export function finding(
  severity: Finding['severity'],
  code: string,
  message: string,
  action: string | null = null,
): Finding {
  return { severity, code, message, action };
}

/** A refusal when the condition holds, otherwise nothing. */
export function refuseIf(
  condition: boolean | undefined,
  code: string,
  message: string,
  action: string | null = null,
): Finding[] {
  return condition ? [finding('refusal', code, message, action)] : [];
}

export function warnIf(
  condition: boolean | undefined,
  code: string,
  message: string,
  action: string | null = null,
): Finding[] {
  return condition ? [finding('warning', code, message, action)] : [];
}

export function informIf(condition: boolean | undefined, code: string, message: string): Finding[] {
  return condition ? [finding('info', code, message)] : [];
}
