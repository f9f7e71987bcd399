import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** Prints each line of its input to stderr, and reports failed writes on stdout. */
const program = `
  import { ignoreBrokenPipes } from '@/server/shared/log-streams';
  ignoreBrokenPipes();
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    for (const line of text.split('\\n')) process.stderr.write(line + '\\n', (error) => error && process.stdout.write(error.code + '\\n'));
  });
  process.stdin.on('end', () => process.exit(7));
`;

test('a process continues after the reader of its output exits', async () => {
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
