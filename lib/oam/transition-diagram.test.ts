import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderTransitions } from '@/lib/oam/testing/transition-diagram';

test('the documentation shows the current state machine', () => {
  const page = readFileSync(new URL('../../docs/oam-rollout.md', import.meta.url), 'utf8');
  const [, drawn = ''] = page.split(/<!-- transitions: .*?-->\n|<!-- end of transitions -->/);
  // However the columns of the table are aligned.
  const plain = (text: string) =>
    text
      .split('\n')
      .map((line) =>
        line
          .replace(/\s*\|\s*/g, '|')
          .replace(/-{3,}/g, '---')
          .trim(),
      )
      .filter((line) => line !== '');
  expect(plain(drawn)).toEqual(plain(renderTransitions()));
});
