import { expect, it } from 'vitest';
import { parseHistory } from '@/e2e/controlplane/kubectl';

it('reads every revision that kubectl prints, in its order', () => {
  const text = [
    'deployment.apps/cart ',
    'REVISION  CHANGE-CAUSE',
    '1         Cart 1.3.8',
    '3         <none>',
    '',
  ];

  expect(parseHistory(text.join('\n'))).toEqual([
    { revision: 1, changeCause: 'Cart 1.3.8' },
    { revision: 3, changeCause: undefined },
  ]);
});

it('keeps a change-cause of several lines together', () => {
  const text = [
    'daemonset.apps/agent ',
    'REVISION  CHANGE-CAUSE',
    '2         first line',
    '          second line',
    '',
  ];

  expect(parseHistory(text.join('\n'))).toEqual([{ revision: 2, changeCause: 'first line\nsecond line' }]);
});

it('refuses output without a history', () => {
  expect(() => parseHistory('error: not found')).toThrow('no history');
});
