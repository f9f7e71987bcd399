import { expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/diff';
import { diffMarkdown } from '@/lib/diff/markdown';
import { type JsonObject } from '@/lib/kube/json';

function app(fields: JsonObject): JsonObject {
  return { spec: { containers: [{ name: 'app', image: 'shop/app:1', ...fields }] } };
}

test('a diff is a title, a sentence and a table per container', () => {
  const before = app({ resources: { limits: { memory: '1Gi' } } });
  const after: JsonObject = {
    spec: {
      ...(app({ resources: { limits: { memory: '512Mi' } }, image: 'shop/app:2' }).spec as JsonObject),
      hostname: 'a',
    },
  };
  expect(diffMarkdown('checkout: 42 → 43', diffTemplates(before, after))).toBe(`### checkout: 42 → 43

image 1 → 2; memory limit 1Gi → 512Mi; hostname added.

**Container** \`app\`

|  | Field | Before | After | What to know |
| - | - | - | - | - |
| ~ | image | \`app:1\` | \`app:2\` |  |
| ~ | memory limit | \`1Gi\` | \`512Mi\` | ⚠ memory limit lowered by 50 % |

**Pod**

|  | Field | Before | After | What to know |
| - | - | - | - | - |
| + | hostname | not set | \`a\` |  |
`);
});

test('what comes from the cluster stays text', () => {
  const value = 'a | b\n<img src=x> `code` ``two`` @team';
  const text = diffMarkdown('<b>x</b>', diffTemplates(app({}), app({ env: [{ name: 'A|B_<i>', value }] })));
  expect(text).toContain('### \\<b\\>x\\</b\\>');
  expect(text).toContain(
    '| env A\\|B\\_\\<i\\> | not set | ``` a \\| b ⏎ <img src=x> `code` ``two`` @team ``` |',
  );
  expect(text.split('\n').filter((line) => line.startsWith('| +'))).toHaveLength(1);
});

test('verdicts that disagree are explained', () => {
  const text = diffMarkdown('x', diffTemplates(app({}), app({ stdin: false })));
  expect(text).toContain('no change.');
  expect(text).toContain('empty stdin is the same as none');
});
