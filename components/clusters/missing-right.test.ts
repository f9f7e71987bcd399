import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { ruleFor } from '@/components/clusters/missing-right';

test('a missing right is a rule of a ClusterRole that can be pasted', () => {
  expect(parse(ruleFor('deployments.apps'))).toEqual([
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
  ]);
  expect(parse(ruleFor('pods'))).toMatchObject([{ apiGroups: [''], resources: ['pods'] }]);
});
