import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import { packedBody } from '@/lib/kube/packed-body';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { hashOfText } from '@/server/archive/revisions';
import { ingestWorkload, temporaryContext } from '@/server/cluster/ingest';
import { TemplateHashes } from '@/server/recorder/template-hashes';

test.each([
  ['as it is', { spec: { containers: [{ name: 'app', image: 'web:1' }], priority: 2 ** 53 } }],
  ['compressed', packedBody('gzip', gzipSync('{"application":{"spec":{}}}').toString('base64'))],
])(
  'a template that the cache holds %s is archived under the hash of its content',
  (_, template: JsonObject) => {
    const [kind] = workloadKinds;
    if (kind === undefined) throw new Error('there are no kinds');
    const metadata = {
      name: 'web',
      uid: 'uid',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    const context = temporaryContext();
    const { bodyId } = ingestWorkload(
      kind,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template } },
      context,
    );
    const { bodies } = context;
    const cache = {
      template: (id: string) => bodies.read(id),
      isPacked: (id: string) => bodies.isPacked(id),
    };
    const body = bodies.read(bodyId);
    expect(body).toBeDefined();
    expect(new TemplateHashes(cache).of(bodyId)).toBe(hashOfText(canonicalJson(body ?? null)));
  },
);
