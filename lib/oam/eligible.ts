import { FINALIZER } from '@/lib/oam/next-move';
import { type KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/workloads/read';

/** By this label, from its creation on, a Rollout is given to this controller; the policy beside it holds that. */
export const CONTROLLER_LABEL = 'shiplog.dev/controller';
export const CONTROLLER_VALUE = 'shiplog';

/** Under which its writes appear in managedFields. */
export const FIELD_MANAGER = 'shiplog-oam-rollout';

const APPLICATION_KINDS = ['Application', 'ResourceTracker', 'ApplicationConfiguration'];

/** Why a Rollout is none for this controller to touch; undefined for one that is. */
export function reasonToLeave({ metadata, status }: KubeObject): string | undefined {
  const { labels = {}, ownerReferences = [], managedFields = [], finalizers = [] } = metadata;
  if (labels[CONTROLLER_LABEL] !== CONTROLLER_VALUE) return `it has no label ${CONTROLLER_LABEL}`;
  if (
    labels['app.oam.dev/name'] !== undefined ||
    ownerReferences.some(({ kind }) => APPLICATION_KINDS.includes(kind))
  )
    return 'an Application renders it, and would take back what is done here';
  const other = managedFields.find(
    ({ subresource, manager }) => subresource === 'status' && manager !== FIELD_MANAGER,
  );
  if (other !== undefined) return `its status is written by ${other.manager}`;
  const hasState = (textAt(status, 'rollingState') ?? '') !== '';
  if (hasState && !finalizers.includes(FINALIZER)) return 'another controller has begun with it';
  return undefined;
}
