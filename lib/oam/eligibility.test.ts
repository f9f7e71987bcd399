import { expect, test } from 'vitest';
import { OAM_FIELD_MANAGER, ineligibleReason } from '@/lib/oam/eligibility';
import { FINALIZER } from '@/lib/oam/reconcile';
import type { KubeObject, ObjectMeta } from '@/lib/kube/object';

function rollout(metadata: Partial<ObjectMeta>, status?: KubeObject['status']): KubeObject {
  return {
    apiVersion: 'standard.oam.dev/v1alpha1',
    kind: 'Rollout',
    metadata: {
      name: 'web',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '',
      labels: { 'shiplog.dev/controller': 'shiplog' },
      ...metadata,
    },
    ...(status !== undefined && { status }),
  };
}

const begun = { rollingState: 'rollingInBatches' };
const writer = (manager: string, subresource?: string) => [
  { manager, operation: 'Update', ...(subresource !== undefined && { subresource }) },
];
const application = [
  { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application', name: 'shop', uid: 'a', controller: true },
];

test.for<[string, KubeObject, string | undefined]>(
  // prettier-ignore
  [
  ['new', rollout({}), undefined],
  ['under way', rollout({ finalizers: [FINALIZER], managedFields: writer(OAM_FIELD_MANAGER, 'status') }, begun), undefined],
  ['edited by somebody', rollout({ managedFields: writer('kubectl-edit') }), undefined],
  ['without the label', rollout({ labels: {} }), 'is missing'],
  ['rendered, by its label', rollout({ labels: { ...rollout({}).metadata.labels, 'app.oam.dev/name': 'shop' } }), 'Application'],
  ['rendered, by its owner', rollout({ ownerReferences: application }), 'Application'],
  ['begun by another', rollout({}, begun), 'another controller'],
  ['with a status that another writes', rollout({ finalizers: [FINALIZER], managedFields: writer('vela', 'status') }, begun), 'vela'],
],
)('a Rollout that is %s', ([, object, reason]) => {
  if (reason === undefined) expect(ineligibleReason(object)).toBeUndefined();
  else expect(ineligibleReason(object)).toContain(reason);
});
