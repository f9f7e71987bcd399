import { expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { BodyStore } from '@/server/cluster/body-store';
import { ingestSource, SemanticIds } from '@/server/cluster/ingest';

const long = 'because '.repeat(50_000);
const annotations = { 'kubernetes.io/change-cause': long };
const replicaSet: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 'uid-1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
  },
  spec: { template: { metadata: { annotations }, spec: { containers: [{ name: 'app', image: 'web:1' }] } } },
};

test.each([
  ['is cut for the cache', 2_000, 2_001],
  ['is whole for a write', undefined, long.length],
])('cuts a change cause of absurd length: %s', (_, annotationCharsMax, length) => {
  const bodies = new BodyStore();
  const semantic = new SemanticIds(bodies);
  const kind = workloadKinds.find(({ source }) => source.resource.kind === 'ReplicaSet');
  if (kind === undefined) throw new Error('no kind is recorded in ReplicaSets');
  const source = ingestSource(kind.source, replicaSet, { bodies, semantic, annotationCharsMax });
  expect(source.changeCause).toHaveLength(length);
  expect(source.templateCause).toHaveLength(length);
});
