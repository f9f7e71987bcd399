import { expect, test } from 'vitest';
import { faultsOf, situationInputs } from '@/test/replay/judged-inputs';

test.each([
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'clonesets.apps.kruise.io',
  'statefulsets.apps.kruise.io',
  'daemonsets.apps.kruise.io',
])(
  'Shiplog says what it always said of the situations of %s',
  async (kind) => {
    expect(await faultsOf(kind, situationInputs(kind))).toEqual([]);
  },
  300_000,
);
