// The development server, with Shiplog's own address settings.
import './register.mjs';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { readConfig } = await import('../server/config.ts');
const { port, host } = readConfig(process.env);
const next = fileURLToPath(new URL('../node_modules/next/dist/bin/next', import.meta.url));
const child = spawn(process.execPath, [next, 'dev', '-p', String(port), '-H', host], {
  stdio: 'inherit',
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
