import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { localIdentity, localPerson } from '@/server/identity/local';
import { LocalKey } from '@/server/identity/local-key';
import { processViewer } from '@/server/shared/testing/viewers';
import { ConfigError } from '@/server/shared/config-error';

const person = localPerson(() => processViewer('ana', 'user:ana'), undefined);
let dataDir: string;
const keyIn = (folder: string) => readFileSync(join(folder, 'local-key'), 'utf8').trim();
const request = (headers: Record<string, string> = {}) => new Request('http://localhost:8440/', { headers });

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shiplog-key-'));
});

afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the local key', () => {
  test('is in a file that only this user can read, and survives a restart', () => {
    LocalKey.load(dataDir);
    expect(statSync(join(dataDir, 'local-key')).mode & 0o777).toBe(0o600);
    const key = keyIn(dataDir);
    expect(LocalKey.load(dataDir).accepts(key)).toBe(true);
    expect(keyIn(dataDir)).toBe(key);
  });

  test('is refused when its file is truncated', () => {
    writeFileSync(join(dataDir, 'local-key'), 'short\n');
    expect(() => LocalKey.load(dataDir)).toThrow(ConfigError);
  });
});

describe('with a key', () => {
  const start = () => localIdentity(person, LocalKey.load(dataDir), 8440);

  test('a request without it, with another one or with a blank one is signed out', () => {
    const { personOf } = start();
    const refused: Record<string, string>[] = [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer  ' },
      { authorization: `Bearer ${'x'.repeat(43)}` },
      { authorization: `Basic ${keyIn(dataDir)}` },
      { authorization: `Bearer ${keyIn(dataDir)}, Bearer x` },
      { cookie: `shiplog-8440=${keyIn(dataDir)}` },
      { cookie: 'shiplog-8440=' },
    ];
    for (const headers of refused)
      expect(() => personOf(request(headers))).toThrow(expect.objectContaining({ code: 'signed_out' }));
  });

  test('a script sends it as a bearer credential', () => {
    const { personOf } = start();
    expect(personOf(request({ authorization: `Bearer ${keyIn(dataDir)}` }))).toBe(person);
  });

  test('a browser exchanges it for a cookie that no page of another site sends and no script reads', async () => {
    const { signIn, personOf } = start();
    const { cookies } = await signIn(request(), { key: keyIn(dataDir) });
    const [line = ''] = cookies;
    expect(line).toMatch(/^shiplog-8440=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(line).not.toContain(keyIn(dataDir));
    const cookie = line.split(';')[0] ?? '';
    expect(personOf(request({ cookie: `theme=dark; ${cookie}` }))).toBe(person);
    // The cookie of a Shiplog on another port of this machine.
    expect(() => personOf(request({ cookie: cookie.replace('8440', '8441') }))).toThrow(AppError);
  });

  test('another key is not exchanged', () => {
    expect(() => start().signIn(request(), { key: 'x'.repeat(43) })).toThrow(
      expect.objectContaining({ code: 'signed_out' }),
    );
    expect(() => start().signIn(request(), { token: 'abc' })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });

  test('signing out deletes the cookie', async () => {
    const signedOut = await start().signOut(request());
    expect(signedOut.person).toBeNull();
    const [line] = signedOut.cookies;
    expect(line).toBe('shiplog-8440=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
  });
});

test('without a key everyone on this machine is the person', () => {
  const { personOf } = localIdentity(person, null, 8440);
  expect(personOf(request())).toBe(person);
});
