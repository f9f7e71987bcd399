// Plays the months of the sandboxes and packs them into sandbox/months, from where `npm start` takes them. It takes some
// minutes; needed after a change of what is played or of how the sandbox plays it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './register.mjs';

const { MONTHS, packMonth } = await import('../server/runtime/shipped-month.ts');
const { playMonth, monthNames } = await import('../server/runtime/play-month.ts');

for (const name of monthNames) {
  const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-month-'));
  try {
    const packed = packMonth(await playMonth(name, dataDir));
    writeFileSync(join(MONTHS, `${name}.json.br`), packed);
    console.log(`${name}: ${Math.round(packed.length / 1024)} KB`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
process.exit(0);
