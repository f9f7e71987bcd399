import { describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import {
  revisionKey,
  revisionName,
  revisionText,
  textOfRevision,
} from '@/sandbox/controllers/leader-worker-set/revision-data';

const TEXT =
  '{"spec":{"leaderWorkerTemplate":{"$patch":"replace","restartPolicy":"RecreateGroupOnPodRestart","size":2,"workerTemplate":{"metadata":{},"spec":{"containers":[{"image":"nginx:1.29","name":"worker","resources":{}}]}}},"networkConfig":{"$patch":"replace","subdomainPolicy":"Shared"}}}';
const spec = {
  replicas: 3,
  startupPolicy: 'LeaderCreated',
  leaderWorkerTemplate: {
    size: 2,
    restartPolicy: 'RecreateGroupOnPodRestart',
    workerTemplate: { spec: { containers: [{ name: 'worker', image: 'nginx:1.29' }] } },
  },
};

describe('a revision of a LeaderWorkerSet', () => {
  test.each([
    ['', '65bb57b6b5'],
    ['foobar', 'd7cd9cdf4'],
    [TEXT, '5984d6bcb6'],
  ])('of %j has the key %s', (text, key) => {
    expect(revisionKey(text)).toBe(key);
  });

  test('contains the group and the network, and nothing of replicas or policies', () => {
    expect(revisionText(spec)).toBe(TEXT);
    expect(revisionText({ ...spec, replicas: 9, networkConfig: { subdomainPolicy: 'Shared' } })).toBe(TEXT);
    expect(revisionText({ ...spec, networkConfig: { subdomainPolicy: 'UniquePerReplica' } })).not.toBe(TEXT);
  });

  test('is named by owner, hash and number', () => {
    expect(revisionName('llama', TEXT, 7)).toBe('llama-5984d6bcb6-7');
    expect(revisionName('x'.repeat(300), TEXT, 1)).toBe(`${'x'.repeat(220)}-5984d6bcb6-1`);
  });

  test('that an older release wrote is written as the same bytes today', () => {
    const older = TEXT.replace('"metadata":{}', '"metadata":{"creationTimestamp":null}');
    expect(textOfRevision(JSON.parse(older) as JsonObject)).toBe(TEXT);
    expect(textOfRevision({ spec: { template: {} } })).toBeUndefined();
  });
});
