import { expect, test } from 'vitest';
import { Keys } from '@/server/shared/keys';
import { maskedAction, maskedIdentity } from '@/server/shared/masked-action';
import { maskedActor, maskedWriter } from '@/server/shared/masked-actor';
import { maskedComment, maskedVerdict } from '@/server/shared/masked-record';

const { mask } = new Keys(Buffer.alloc(32, 7));
const name = 'nimda\u202e';
const shown = 'nimda\\u{202e}';
const at = '2026-11-01T12:00:00Z';

test('names of before are shown with the numbers of characters that are not seen', () => {
  expect(maskedActor({ name, manager: name, kind: 'person' } as never, mask)).toMatchObject({
    ...{ name: shown, manager: shown },
  });
  expect(maskedActor(null, mask)).toBeNull();
  expect(maskedWriter({ manager: name, operation: 'Apply', time: at } as never, mask)).toMatchObject({
    manager: shown,
  });
  expect(maskedAction({ actor: name, reason: '', message: '' }, mask).actor).toBe(shown);
  expect(maskedIdentity({ user: name, groups: [name] }, mask)).toEqual({ user: shown, groups: [shown] });
  const verdict = { by: name, followUp: { person: name, due: at } };
  expect(maskedVerdict(verdict as never, mask)).toMatchObject({ by: shown, followUp: { person: shown } });
  const comment = { by: name, body: 'x\u202e', path: null, mentions: [{ id: 'a', name }], edits: [] };
  // The order of a text is for its page to isolate.
  expect(maskedComment(comment as never, mask)).toMatchObject({
    ...{ by: shown, body: 'x\u202e', mentions: [{ id: 'a', name: shown }] },
  });
});
