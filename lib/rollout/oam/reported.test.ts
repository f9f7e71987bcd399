import { expect, test } from 'vitest';
import { toSentence } from '@/lib/rollout/oam/reported';

test.each([
  ['the metric error-rate is 7.4', 'The metric error-rate is 7.4.'],
  ['waiting:', 'Waiting.'],
  [
    'ghp_0123456789abcdefghijABCDEFGHIJ456789 was refused',
    'ghp_0123456789abcdefghijABCDEFGHIJ456789 was refused.',
  ],
])('only a plain word is capitalized, so that a token keeps its form: %s', (message, sentence) => {
  expect(toSentence(message)).toBe(sentence);
});
