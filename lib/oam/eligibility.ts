import { FINALIZER } from '@/lib/oam/reconcile';
import type { KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';

/** This label, set at creation, assigns a Rollout to this controller; the admission policy enforces that. */
export const CONTROLLER_LABEL = 'shiplog.dev/controller';
export const CONTROLLER_VALUE = 'shiplog';

/** The field manager of its writes in managedFields. */
export const OAM_FIELD_MANAGER = 'shiplog-oam-rollout';

const APPLICATION_KINDS = ['Application', 'ResourceTracker', 'ApplicationConfiguration'];

/** Why this controller must not touch a Rollout; undefined where it may. */
export function ineligibleReason({ metadata, status }: KubeObject): string | undefined {
  const { labels = {}, ownerReferences = [], managedFields = [], finalizers = [] } = metadata;
  if (labels[CONTROLLER_LABEL] !== CONTROLLER_VALUE) return `label ${CONTROLLER_LABEL} is missing`;
  if (
    labels['app.oam.dev/name'] !== undefined ||
    ownerReferences.some(({ kind }) => APPLICATION_KINDS.includes(kind))
  )
    return 'an Application renders it and would revert changes';
  const other = managedFields.find(
    ({ subresource, manager }) => subresource === 'status' && manager !== OAM_FIELD_MANAGER,
  );
  if (other !== undefined) return `its status is written by ${other.manager}`;
  const hasState = (textAt(status, 'rollingState') ?? '') !== '';
  if (hasState && !finalizers.includes(FINALIZER)) return 'another controller has started it';
  return undefined;
}
