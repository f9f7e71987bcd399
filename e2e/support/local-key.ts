import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The local key of every Shiplog that a test starts. */
const KEY = 'the-local-key-of-tests-has-43-characters-000';

/** What signs in a request to them. */
export const signedIn = { authorization: `Bearer ${KEY}` };

/** Has the Shiplog of this data directory use the key. */
export function writeLocalKey(dataDir: string): void {
  const path = join(dataDir, 'local-key');
  if (existsSync(path)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(path, `${KEY}\n`, { mode: 0o600 });
}
