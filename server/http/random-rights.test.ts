import fc from 'fast-check';
import { expect, test } from 'vitest';
import { processViewer } from '@/server/shared/testing/viewers';
import { addNamespace, severalClusters } from '@/server/http/testing/several-clusters';

const admin = { ...processViewer('admin'), isShared: false, viewerIn: () => processViewer('admin') };
const resource = 'deployments.apps';
/** In each namespace. */
const WORKLOADS = 2;
const clusterNames = ['eu', 'us'];
const namespaces = ['shop', 'pay', 'ops'];
const lists = [
  '/api/workloads',
  '/api/rollouts',
  '/api/rollouthistories',
  '/api/records',
  '/api/review?age=0m',
  '/api/review/follow-ups',
  '/api/reports?rows=1&from=30d&by=namespace',
  '/api/reports?format=csv&from=30d',
  '/api/reports?format=md&from=30d',
  '/api/timeline?from=30d',
  '/api/activity',
  '/api/activity?format=csv',
  '/api/activity/events',
];
const parts = ['', '/revisions/1', '/diff?from=1&to=2&yaml=1', '/events', '/track', '/actions', '/pods'];

/** Two clusters with three namespaces each; what is in one has a marker of its own in every text. */
async function everything() {
  const several = await severalClusters(clusterNames);
  const places = [];
  for (const [index, { name, cluster }] of several.clusters.entries()) {
    for (const namespace of namespaces) {
      const marker = namespace === 'shop' ? `mark${index}x` : `mark${index}${namespace}x`;
      if (namespace !== 'shop') await addNamespace(several.archive, cluster, { namespace, marker });
      places.push({ key: `${name}/${namespace}`, id: cluster.identity.id, cluster: name, namespace, marker });
    }
  }
  const pages = places.flatMap(({ cluster, namespace }) =>
    parts.map((part) => {
      const path = `/api/workloads/deployments.apps/${namespace}/cart${part}`;
      return `${path}${path.includes('?') ? '&' : '?'}cluster=${cluster}`;
    }),
  );
  return { ...several, places, pages };
}

test('for any rights, no answer has an item, a count, or a key of a namespace that the viewer may not read', async () => {
  const { clusters, places, pages, running, get } = await everything();
  const rights = fc.subarray(places.map(({ key }) => key));
  const requests = fc.array(fc.constantFrom(...lists, ...pages), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rights, requests, async (allowed, paths) => {
      for (const { name, cluster } of clusters)
        cluster.answerAccess = ({ namespace }) => ({
          allowed: namespaces.every((each) => {
            const isAsked = namespace === undefined || namespace === each;
            return !isAsked || allowed.includes(`${name}/${each}`);
          }),
        });
      for (const path of paths) {
        // The viewer of a cluster has its marker in their own name.
        const text = (await get(path)).text.replaceAll(/user of \w+/g, 'viewer');
        for (const { key, marker } of places)
          if (!allowed.includes(key)) expect(text, `${path} with ${allowed.join(' ')}`).not.toContain(marker);
      }
      const { counts } = (await get('/api/workloads')).json() as { counts: { total: number } };
      expect(counts.total).toBe(WORKLOADS * allowed.length);
      const keys = places.map(({ id, namespace }) => ({ cluster: id, resource, namespace, name: 'cart' }));
      const told = await running.clusters.visibleKeys(admin, keys);
      const expected = places.filter(({ key }) => allowed.includes(key));
      expect(told).toEqual(
        expected.map(({ id, namespace }) => ({ cluster: id, resource, namespace, name: 'cart' })),
      );
    }),
  );
});

test('with every right, each list has something of each namespace', async () => {
  const { places, get } = await everything();
  for (const list of lists) {
    const { text } = await get(list);
    for (const { marker } of places) expect(text, list).toContain(marker);
  }
});
