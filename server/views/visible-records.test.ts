import { expect, test } from 'vitest';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { archiveContext, oneCluster } from '@/server/reads/testing/one-cluster';
import { visibleRecords } from '@/server/views/visible-records';
import { viewerNamed } from '@/server/shared/testing/viewers';
import { sampleRecord } from '@/test/record-samples';

test('a cluster of which nothing is archived yet is not open to everyone', async () => {
  const cluster = new FakeCluster();
  cluster.answerAccess = () => ({ allowed: false });
  const archive = await TestArchive.open();
  const context = archiveContext(cluster, archive);
  const { scope, withDeletedNamespaces } = await visibleRecords(oneCluster(context, viewerNamed('ana')));
  const nothing = { clusters: [{ cluster: 'cluster', scopes: [] }] };
  expect([scope, withDeletedNamespaces]).toEqual([nothing, nothing]);
});

test('a person with a right in each namespace sees these, and none that is recorded meanwhile', async () => {
  const cluster = new FakeCluster();
  const archive = await TestArchive.open();
  await archive.put([sampleRecord('record-1')]);
  const { namespace, resource, cluster: id } = sampleRecord('').workload;
  cluster.identity = { ...cluster.identity, id };
  const context = archiveContext(cluster, archive);
  const scopes = async () => {
    const { scope } = await visibleRecords(oneCluster(context, viewerNamed('ana')));
    return scope.clusters.map((each) => each.scopes);
  };
  expect(await scopes()).toEqual([null]);
  cluster.answerAccess = (asked) => ({ allowed: asked.namespace === namespace });
  expect(await scopes()).toEqual([[{ resource, namespaces: [namespace] }]]);
});
