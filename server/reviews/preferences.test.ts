import { expect, test, vi } from 'vitest';
import { noPreferences } from '@/lib/api/preference-values';
import type { Archive } from '@/server/archive/archive';
import type { PreferenceRepository } from '@/server/archive/preferences';
import type { SharedContext } from '@/server/views/context';
import { readPreferences, savePreferences } from '@/server/reviews/preferences';
import { Keys } from '@/server/shared/keys';
import { viewerNamed } from '@/server/shared/testing/viewers';

const save = vi.fn<PreferenceRepository['save']>((_person, settings, ifVersion) =>
  Promise.resolve({ ...settings, version: ifVersion + 1 }),
);
const context: SharedContext = {
  keys: new Keys(Buffer.alloc(32, 7)),
  config: {},
  archive: { preferences: { save } } as unknown as Archive,
  now: () => 5,
};
const { version: ifVersion, ...nothing } = noPreferences;

test('a secret in a search that a person saves does not reach the archive', async () => {
  const views = [{ name: 'password=hunter2', filters: { q: 'https://ana:hunter2@example.com' } }];
  const saved = await savePreferences(context, viewerNamed('ana'), { ...nothing, views, ifVersion });
  expect(save).toHaveBeenCalledWith(viewerNamed('ana').id, expect.anything(), 0, 5);
  expect(JSON.stringify([save.mock.calls, saved])).not.toContain('hunter2');
});

test('anonymous viewers have set nothing, and can set nothing', async () => {
  const anonymous = { ...viewerNamed('anonymous'), readOnly: 'anonymous' } as const;
  expect(await readPreferences(context, anonymous)).toEqual(noPreferences);
  await expect(savePreferences(context, anonymous, { ...nothing, ifVersion })).rejects.toMatchObject({
    code: 'forbidden',
  });
});
