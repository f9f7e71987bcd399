import { expect, test } from 'vitest';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { hasSameEncoding } from '@/sandbox/controllers/revisions/same-encoding';

const today: PodTemplateSpec = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'app', image: 'web:1', resources: { requests: { memory: '1Gi', cpu: '100m' } } }],
    restartPolicy: 'Always',
  },
};

function variant(change: (text: string) => string): PodTemplateSpec {
  return JSON.parse(change(JSON.stringify(today))) as PodTemplateSpec;
}

test.each<[string, (text: string) => string, boolean]>([
  [
    'the null that older servers wrote',
    (text) => text.replace('"labels"', '"creationTimestamp":null,"labels"'),
    true,
  ],
  ['a default that did not exist yet', (text) => text.replace(',"restartPolicy":"Always"', ''), true],
  ['a quantity not yet in canonical form', (text) => text.replace('1Gi', '1024Mi'), true],
  ['a quantity of another family', (text) => text.replace('1Gi', '1073741824'), false],
  ['another image', (text) => text.replace('web:1', 'web:2'), false],
])('a recorded template with %s', (_, change, same) => {
  expect(hasSameEncoding(variant(change), today)).toBe(same);
});
