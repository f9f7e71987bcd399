// Finds PostgreSQL for the tests, or installs the system's, and runs a private server.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPackage } from './system-package.mjs';

/** Debian installs it in a folder per version, outside the PATH. */
const VERSIONS = '/usr/lib/postgresql';
const places = ['/opt/homebrew/opt/postgresql/bin', '/usr/local/opt/postgresql/bin', '/usr/pgsql/bin'];

/**
 * Starts an empty server in a folder of its own, reached by a socket in that folder. Both end with this process,
 * however that ends. Undefined where there is no PostgreSQL and none can be installed.
 *
 * @param {{ mayInstall?: boolean }} [options]
 * @returns {Promise<{ url: string, stop: () => Promise<void> } | undefined>}
 */
export async function startPostgres({ mayInstall = false } = {}) {
  const bin =
    findPostgres() ?? (mayInstall && installPackage('PostgreSQL', 'postgresql') ? findPostgres() : undefined);
  if (bin === undefined) return undefined;
  const user = userToRunAs();
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-pg-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder };
  // Another collation than by bytes, as most servers have: code that relies on the order must request it.
  const made = [['--locale-provider=icu', '--icu-locale=en-US'], ['--no-locale']].some((locale) => {
    rmSync(data, { recursive: true, force: true });
    const args = ['-D', data, '-U', 'shiplog', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale];
    return spawnSync(join(bin, 'initdb'), args, { ...options, stdio: 'ignore' }).status === 0;
  });
  if (!made) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb in ${bin} failed; run it by hand to see why.`);
  }
  const server = spawn('sh', ['-c', keptAlive, 'sh', join(bin, 'postgres'), data, folder], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  await untilReady(server);
  server.unref();
  return {
    url: `postgres://shiplog@localhost/postgres?host=${encodeURIComponent(folder)}`,
    async stop() {
      server.ref();
      server.stdin.end();
      await ended;
    },
  };
}

/** The end of its input, which the death of this process causes too, stops the server and removes its folder. */
const keptAlive = `"$1" -D "$2" -k "$3" -c listen_addresses= -c fsync=off -c max_connections=100 &
server=$!; cat; kill -INT $server; wait $server; cd /; rm -rf "$3"`;

function untilReady(server) {
  return new Promise((resolve, reject) => {
    let told = '';
    server.stderr.setEncoding('utf8').on('data', (text) => {
      if (told === undefined) return;
      told += text;
      if (!told.includes('ready to accept connections')) return;
      told = undefined;
      resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${told}`)));
    server.stderr.unref?.();
    server.stdin.unref?.();
  });
}

/** The folder of its programs; undefined where there is none. */
export function findPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(VERSIONS, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    ...places,
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root; the package's own user, or else `nobody`, has no rights to misuse. */
function userToRunAs() {
  if (process.getuid?.() !== 0) return undefined;
  return idsOf('postgres') ?? idsOf('nobody');
}

function idsOf(name) {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
