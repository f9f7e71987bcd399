import { expect, test } from 'vitest';
import { faultsOf, situationInputs } from '@/test/replay/judged-inputs';

test.each([
  'leaderworkersets.leaderworkerset.x-k8s.io',
  'rollouts.argoproj.io',
  'applications.core.oam.dev',
  'controllerrevisions.apps',
  'rollouts.rollouts.kruise.io',
  'canaries.flagger.app',
  'rollouts.standard.oam.dev',
])(
  'Shiplog says what it always said of the situations of %s',
  async (kind) => {
    expect(await faultsOf(kind, situationInputs(kind))).toEqual([]);
  },
  300_000,
);
