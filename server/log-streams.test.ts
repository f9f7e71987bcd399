import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** Prints whatever is asked of it, and says on its way out how that went. */
const program = `
  import { outliveReaders } from '@/server/log-streams';
  outliveReaders();
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    for (const line of text.split('\\n')) process.stderr.write(line + '\\n', (error) => error && process.stdout.write(error.code + '\\n'));
  });
  process.stdin.on('end', () => process.exit(7));
`;

test('who prints goes on when nobody reads it any more', async () => {
  const child = spawn(
    process.execPath,
    ['--import', './scripts/register.mjs', '--input-type=module', '-e', program],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  child.stdin.write('first');
  await once(child.stderr, 'data');
  child.stderr.destroy();
  child.stdin.write('second');
  expect(String(await once(child.stdout, 'data'))).toContain('EPIPE');
  child.stdin.end('third');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
