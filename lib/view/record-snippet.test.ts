import { expect, test } from 'vitest';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';
import { recordSnippet } from '@/lib/view/record-snippet';

const page = { link: 'https://shiplog.example/records/r1', timeZone: 'UTC' };

test('a snippet for a post-mortem has what, when with the zone, who, changes, outcome, time to restore and verdict', () => {
  const record = sampleRecordAnswer({ outcome: 'rolledBack', revertedBy: 'r2' });
  expect(recordSnippet(record, { outcome: 'completed', endedAt: minutesAgo(50) }, page).split('\n')).toEqual([
    '### cart 4 → 5',
    '',
    '- **Workload:** shop/cart (Deployment)',
    '- **Started:** 17 Sep 2026, 11:30 UTC',
    '- **Ended:** 17 Sep 2026, 11:32 UTC',
    '- **Duration:** 2 min',
    '- **Changed by:** kubectl',
    '- **Change cause:** faster checkout',
    '- **Changes:** app: image 1.4.0 → 1.5.0',
    '- **Outcome:** Rolled back',
    '- **Time to restore:** 12 min',
    '- **Verdict:** None',
    '- **Record:** <https://shiplog.example/records/r1>',
    '',
  ]);
  expect(recordSnippet(record, null, page)).toContain('**Time to restore:** Unknown');
});

test('text from the cluster is one line of a snippet, without Markdown or mentions', () => {
  const cause = 'hi @channel\n# <img src=x> [x](javascript:y) `z`';
  const snippet = recordSnippet(sampleRecordAnswer({ cause }), null, page);
  expect(snippet).toContain(
    '- **Change cause:** hi \\@channel \\# \\<img src=x\\> \\[x\\](javascript:y) \\`z\\`\n',
  );
  expect(recordSnippet(sampleRecordAnswer({ cause: 'x'.repeat(9_000) }), null, page).length).toBeLessThan(
    1_500,
  );
});
